import type { KubeTransport } from '@rxlet/kube-client';

/** Cluster that a fleet joins. Disposal ends the connection, and an API server that was started for the fleet. */
export interface FleetCluster extends AsyncDisposable {
  /** Transport of an administrator. */
  readonly transport: KubeTransport;
  /** Whether the cluster remains at the end, and with it the Node objects. */
  readonly outlivesFleet: boolean;
  /** Line for the user. */
  readonly note?: string;
}
