#pragma once
// The same view of the C library's types as CSettleSystem has; two views cannot meet in one target.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <openssl/evp.h>
