import type { KubeClients } from '@rxlet/kube-api/client';
import { noopLogger } from '@rxlet/component-base';
import { createStatefulClient, type KubeClientPorts } from './create-kube-client.ts';
import { createServerState } from './request/server-state.ts';

/** Options of {@link createKubeClients}, by the names of KubeletConfiguration. */
export interface KubeClientsOptions {
  readonly userAgent: string;
  /** Below zero: no limit; 0: the default of client-go, 5. Default: 50. */
  readonly kubeAPIQPS?: number;
  /** Default: 100. */
  readonly kubeAPIBurst?: number;
  /** 0: no limit. Default: 50. */
  readonly eventRecordQPS?: number;
  /** Default: 100. */
  readonly eventBurst?: number;
  /** Deadline of leases and node statuses: the shorter of the lease's duration and the period of statuses, in milliseconds. Default: 10 s. */
  readonly heartbeatTimeoutMs?: number;
}

/** Limit of reviews: above what the node's own API asks for about tokens, so that those about permissions always pass. */
const REVIEW_LIMIT = { perSecond: 50, burst: 100 };
const CLIENT_GO_QPS = 5;
const CLIENT_GO_BURST = 10;

/** Creates the clients of a node. They share a transport, and no request of one delays those of another. */
export function createKubeClients(
  ports: KubeClientPorts,
  {
    userAgent,
    kubeAPIQPS = 50,
    kubeAPIBurst = 100,
    eventRecordQPS = 50,
    eventBurst = 100,
    heartbeatTimeoutMs = 10_000,
  }: KubeClientsOptions,
): KubeClients {
  const state = createServerState(ports.clock, ports.logger ?? noopLogger);
  return {
    main: createStatefulClient(ports, state, {
      userAgent,
      rateLimit: {
        perSecond: kubeAPIQPS === 0 ? CLIENT_GO_QPS : kubeAPIQPS,
        burst: kubeAPIBurst === 0 ? CLIENT_GO_BURST : kubeAPIBurst,
      },
    }),
    events: createStatefulClient(ports, state, {
      userAgent,
      rateLimit: { perSecond: eventRecordQPS === 0 ? -1 : eventRecordQPS, burst: eventBurst },
    }),
    heartbeats: createStatefulClient(ports, state, { userAgent, timeoutMs: heartbeatTimeoutMs, sendsTimeout: true }),
    reviews: createStatefulClient(ports, state, { userAgent, rateLimit: REVIEW_LIMIT }),
  };
}
