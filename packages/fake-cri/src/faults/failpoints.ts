import {
  createFailpoint,
  type FailpointAction,
  FailpointError,
  type FailpointEvaluator,
  formatFailpoint,
} from '@rxlet/component-base/failpoint';
import { ServiceError, StatusCode } from '@rxlet/cri-api';
import type { RpcName } from '../rpc/port.ts';
import { criNameOf } from './rpc-names.ts';

/** Place of a failpoint: before the effect of the call, or after it. */
export type FailpointPlace = 'before' | 'after';

/** A failpoint that was set. */
export interface SetFailpoint {
  readonly rpc: RpcName;
  readonly place: FailpointPlace;
  /** Remaining terms. */
  readonly failpoint: string;
}

/** Pod of a call, as failpoints need it. */
export interface FailingPod {
  /** The same for all sandboxes of the pod. */
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Failpoints of calls: set for an RPC by a test, or for the calls of a pod by its annotations. */
export interface Failpoints {
  /** Replaces the failpoint of an RPC at a place. Throws InvalidArgument for invalid text. */
  set(rpc: RpcName, text: string, place: FailpointPlace): void;
  /** Removes the failpoints of an RPC, or all of them. Annotations stay as they are. */
  clear(rpc?: RpcName): void;
  /** Returns the failpoints that are not used up. */
  list(): readonly SetFailpoint[];
  /**
   * Returns the action for a call at a place. The failpoint of the RPC comes first; without one, the pod's annotation decides. Throws InvalidArgument for an
   * invalid annotation.
   */
  next(rpc: RpcName, place: FailpointPlace, pod: () => FailingPod | undefined): FailpointAction | undefined;
}

/** `fail.rxlet.dev/RunPodSandbox`, and `fail.rxlet.dev/RunPodSandbox.after` for one after the effect. */
const ANNOTATION_PREFIX = 'fail.rxlet.dev/';

/** Number of pods whose counts are kept: the most recently used. A pod that returns after so many others starts over. */
const MAX_PODS = 10_000;

/** Creates {@link Failpoints}. */
export function createFailpoints(): Failpoints {
  const failpoints = new Map<string, { rpc: RpcName; place: FailpointPlace; evaluator: FailpointEvaluator }>();
  /** By pod and annotation; the least recently used first. */
  const ofPods = new Map<string, { text: string; evaluator: FailpointEvaluator }>();

  const ofPod = (
    rpc: RpcName,
    place: FailpointPlace,
    { uid, annotations }: FailingPod,
  ): FailpointEvaluator | undefined => {
    if (!hasFailpoint(annotations)) return undefined;
    const annotation = `${ANNOTATION_PREFIX}${criNameOf(rpc)}${place === 'after' ? '.after' : ''}`;
    const text = annotations[annotation];
    if (text === undefined) return undefined;
    const key = `${uid} ${annotation}`;
    const known = ofPods.get(key);
    const entry = known?.text === text ? known : { text, evaluator: readFailpoint(text, `annotation ${annotation}: `) };
    ofPods.delete(key);
    ofPods.set(key, entry);
    for (const oldest of ofPods.keys()) {
      if (ofPods.size <= MAX_PODS) break;
      ofPods.delete(oldest);
    }
    return entry.evaluator;
  };

  return {
    set(rpc, text, place) {
      failpoints.set(`${rpc} ${place}`, { rpc, place, evaluator: readFailpoint(text) });
    },
    clear(rpc) {
      for (const [key, failpoint] of failpoints) if (rpc === undefined || failpoint.rpc === rpc) failpoints.delete(key);
    },
    list: () =>
      Array.from(failpoints.values(), ({ rpc, place, evaluator }) => {
        return { rpc, place, failpoint: formatFailpoint(evaluator.remaining) };
      }).filter(({ failpoint }) => failpoint !== ''),
    next(rpc, place, pod) {
      const action = failpoints.size === 0 ? undefined : failpoints.get(`${rpc} ${place}`)?.evaluator.evaluate();
      if (action !== undefined) return action;
      const target = pod();
      return target && ofPod(rpc, place, target)?.evaluate();
    },
  };
}

function hasFailpoint(annotations: Readonly<Record<string, string>>): boolean {
  for (const name in annotations) if (name.startsWith(ANNOTATION_PREFIX)) return true;
  return false;
}

function readFailpoint(text: string, where = ''): FailpointEvaluator {
  try {
    return createFailpoint(text);
  } catch (error) {
    if (!(error instanceof FailpointError)) throw error;
    throw new ServiceError(StatusCode.InvalidArgument, `${where}${error.message}`, { cause: error });
  }
}
