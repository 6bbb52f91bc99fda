import type { ApiRequest } from './recording.ts';
import type { ReplayNode } from './replay-node.ts';

/** Actions of an operator during a phase, and the part of the requests that can be compared. */
export interface Phase {
  /** Prepares the node, before the requests are recorded. */
  readonly before?: ((node: ReplayNode) => unknown) | undefined;
  /** In the order of their times, in seconds. */
  readonly actions: readonly { readonly t: number; run(node: ReplayNode): unknown }[];
  /** Time after the last recorded request in which the agent may still send its own, in seconds. Default 3. */
  readonly tailSeconds?: number;
  /** Whether the agent starts within the phase. Default: it runs before. */
  readonly startsAgent?: boolean;
  /** Streams that the recording has; others were left out of it. Default: all. */
  readonly concerns?: RegExp;
  /** Returns the kubelet's requests that the agent sends as well. Default: all. */
  readonly expected?: (requests: readonly ApiRequest[]) => readonly ApiRequest[];
  /** Returns the agent's requests that the kubelet sent as well. Default: all. */
  readonly sent?: (requests: readonly ApiRequest[]) => readonly ApiRequest[];
}
