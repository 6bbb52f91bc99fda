/** Options of `createTracing`, by the names of KubeletConfiguration. */
export interface TracingOptions {
  /** Address of the collector, which is reached without TLS, as in the kubelet. */
  readonly endpoint: string;
  /** Traces out of a million that are recorded. */
  readonly samplingRatePerMillion: number;
  /** Name of the node, for all spans. */
  readonly nodeName: string;
}
