import SettleCore
