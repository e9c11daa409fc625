#pragma once
// Without _GNU_SOURCE, as in CSettleSystem.h: two views of the C library cannot meet in one target.
#include <openssl/evp.h>
