import type { Fault } from '@rxlet/fake-kube';
import type { RpcName } from '@rxlet/fake-cri';
import type { ClusterPodKind, OBJECT_NAMES } from './cluster-pods.ts';
import type { PartStep, PodExtras, PowerStep } from './part-steps.ts';
import type { PodKind } from './pod-kinds.ts';

/** A change of the world: by users, by programs, or a fault. Steps are plain data, so that a plan can be printed, shrunk and replayed. */
export type Step = SourceStep | ApiStep | RuntimeStep | AgentStep | ServerStep | HostStep | PartStep | PowerStep;

/** A step with its time after the start, in milliseconds. */
export interface TimedStep {
  readonly atMs: number;
  /** Name of the node that it concerns. Default: all nodes. */
  readonly node?: string;
  readonly step: Step;
}

/** A change of the static pods. */
export type SourceStep =
  /** The source replaces the pod with this version. */
  | {
      readonly do: 'set';
      readonly name: string;
      readonly kind: PodKind;
      readonly version: number;
      readonly extras?: PodExtras;
    }
  | { readonly do: 'unset'; readonly name: string };

/** A request of a user of the API server. */
export type ApiStep =
  /** Creates a pod that is bound to the node, unless there is one of the name. */
  | {
      readonly do: 'create';
      readonly name: string;
      readonly kind: ClusterPodKind;
      readonly version: number;
      readonly extras?: PodExtras;
    }
  /** Deletes a pod; 0 by force. */
  | { readonly do: 'delete'; readonly name: string; readonly graceSeconds?: number | undefined }
  /** Deletes a pod, 0 by force, and creates one of the name on another node once it is gone, as the controller of a StatefulSet does. */
  | { readonly do: 'move'; readonly name: string; readonly to: string; readonly graceSeconds?: number | undefined }
  /** Adds or removes a finalizer of a pod. */
  | { readonly do: 'hold'; readonly name: string; readonly isHeld: boolean }
  | { readonly do: 'label'; readonly name: string; readonly value: string }
  /** Changes the images of a pod. */
  | { readonly do: 'image'; readonly name: string; readonly version: number }
  /** Writes over the status of a pod. */
  | { readonly do: 'overwrite'; readonly name: string }
  /** Writes or deletes the ConfigMap or the Secret. */
  | { readonly do: 'object'; readonly kind: keyof typeof OBJECT_NAMES; readonly version?: number | undefined };

/** An event of containers or of the runtime. */
export type RuntimeStep =
  /** A container exits by itself: the one at this place among the running ones of a pod. */
  | { readonly do: 'exit'; readonly name: string; readonly index: number; readonly code: number }
  /** The sandbox of a pod dies. */
  | { readonly do: 'fail-sandbox'; readonly name: string }
  /** The runtime forgets a container of a pod. */
  | { readonly do: 'lose'; readonly name: string; readonly index: number }
  /** The next calls of an RPC fail. */
  | { readonly do: 'fault'; readonly rpc: RpcName; readonly failpoint: string; readonly place: 'before' | 'after' }
  | { readonly do: 'event-faults'; readonly faults: EventFaultRates; readonly ms: number }
  /** The runtime is unreachable for a while. */
  | { readonly do: 'outage'; readonly ms: number };

/** Faults of the runtime's events, see fake-cri. */
export interface EventFaultRates {
  readonly drop?: number;
  readonly duplicate?: number;
  readonly reorder?: number;
  readonly replay?: number;
  readonly delayMs?: number;
}

/** An event in the life of the agent. */
export type AgentStep =
  /** The agent is killed: at once, or in place of a call of the runtime, a file, a mount or the API server. It is started again after a pause. */
  | {
      readonly do: 'kill';
      /** Number of the call after which it is killed; 0 for at once. */
      readonly calls: number;
      /** Whether that call has its effect, so that only the answer is lost. */
      readonly isAfterCall?: boolean;
      /** The RPC whose calls count. Default: all calls of ports. */
      readonly rpc?: RpcName;
      readonly pauseMs: number;
      /** Number of the call of the next start at which that is killed as well; 0 for never. */
      readonly callsOfStart: number;
      /** Damage of a file of the agent while it is away. */
      readonly damage?: Damage;
    }
  /** The agent is stopped in order, and started again after a pause. */
  | { readonly do: 'stop'; readonly pauseMs: number }
  /** The next calls of a handler, of a step or of a part of the core throw. */
  | { readonly do: 'throw'; readonly place: string; readonly times: number };

/** Damage of a file, as a power failure or a bad disk leaves it. */
export interface Damage {
  /** `unknown-fields` and `other-version` are those of a file that another version of the agent has written. */
  readonly how: 'lose' | 'tear' | 'flip' | 'unknown-fields' | 'other-version';
  /** Place of the file among the checkpoints of the agent, from 0 to 1. */
  readonly file: number;
  /** Limits the files to the records of CPUs, memory and claims of containers. Default: all checkpoints. */
  readonly isOfAssignments?: boolean;
  /** Place in the file, from 0 to 1. */
  readonly place: number;
}

/** A fault of the API server. */
export type ServerStep =
  | { readonly do: 'api-fault'; readonly fault: Fault }
  /** Watches break, or die unnoticed. `rewind` repeats the last changes to those that resume. */
  | { readonly do: 'watches'; readonly how: 'cut' | 'freeze' | 'compact' | 'rewind' }
  /** Answers from the cache lag behind. */
  | { readonly do: 'stale'; readonly revisions: number; readonly ms: number }
  /** The server is away for a while, and has forgotten its history afterwards. */
  | { readonly do: 'api-outage'; readonly ms: number }
  /** The Node object is deleted with its lease, and created again by an operator after a while. */
  | { readonly do: 'node-gone'; readonly ms: number };

/** A fault of the machine. */
export type HostStep =
  /** Calls that write files fail for a while, or all calls on files do. */
  | {
      readonly do: 'disk';
      readonly code: 'ENOSPC' | 'EIO' | 'EROFS';
      readonly isOnlyWriting: boolean;
      readonly ms: number;
    }
  /** The next mounts or unmounts fail. */
  | { readonly do: 'mounts'; readonly operation: 'mount' | 'unmount'; readonly times: number }
  /** The wall clock is set. */
  | { readonly do: 'clock'; readonly jumpMs: number };

/** Steps that disturb no agent. */
const ORDINARY: ReadonlySet<string> = new Set<Step['do']>([
  'set',
  'unset',
  'create',
  'delete',
  'move',
  'hold',
  'label',
  'image',
  'overwrite',
  'exit',
  'resize',
  'debug',
]);

/** Returns the facts of a step. */
export function stepFacts(step: Step): { readonly text: string; readonly isFault?: boolean } {
  // Pods cannot start without the objects that they use.
  const isOrdinary = ORDINARY.has(step.do) || (step.do === 'object' && step.version !== undefined);
  return { text: describeStep(step), ...(!isOrdinary && { isFault: true }) };
}

/** Describes a step in a line. */
export function describeStep({ do: what, ...fields }: Step): string {
  const parts = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`);
  return [what, ...parts].join(' ');
}
