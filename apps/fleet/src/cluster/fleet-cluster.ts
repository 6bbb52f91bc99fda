import type { TlsKeyPair } from '@rxlet/kube-api/client';
import type { KubeTransport } from '@rxlet/kube-client';

/** Certificate of the API of the nodes, and the authorities of its clients. */
export interface NodeApiIdentity {
  readonly certificate: TlsKeyPair;
  /** As PEM. */
  readonly clientCaPem: string;
}

/** Cluster that a fleet joins. Disposal ends the connection, and an API server that was started for the fleet. */
export interface FleetCluster extends AsyncDisposable {
  /** Transport of an administrator. */
  readonly transport: KubeTransport;
  /** Path of the administrator's kubeconfig, for other threads. */
  readonly kubeconfig: string;
  /** Certificate of the API of the nodes, and the authorities of its clients. */
  readonly identity: NodeApiIdentity;
  /** Whether the cluster remains at the end, and with it the Node objects. */
  readonly outlivesFleet: boolean;
  /** Line for the user. */
  readonly note?: string;
}
