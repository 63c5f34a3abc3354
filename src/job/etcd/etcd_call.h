/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JOB_ETCD_ETCD_CALL_H
#define JOB_ETCD_ETCD_CALL_H

#include "job/etcd/etcd.h"

etcd_caller etcd_call;

#endif
