/** Workloads. `standard` is a standalone agent with static pods, `cluster` a node of a cluster with pods of the API server and static pods. */
export const WORKLOADS = ['standard', 'cluster'] as const;
export type Workload = (typeof WORKLOADS)[number];
