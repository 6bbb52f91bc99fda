import type { OtherPods, PodAmounts } from '@rxlet/agent-api';
import type { Pod } from '@rxlet/kube-api';
import { isTerminalPhase, podUid } from '@rxlet/pod-model';
import type { PodConfig } from '@rxlet/pod-config';
import { isKnownTerminated, type PodStates } from '@rxlet/pod-workers';

/** Ports of {@link createActivePods}. */
export interface ActivePodsPorts {
  readonly config: Pick<PodConfig, 'find'>;
  readonly states: Pick<PodStates, 'state'>;
  /** Reports whether a container or sandbox of the pod runs. */
  isRunning(podUid: string): boolean;
  /** Returns the pod with the resources that the node has allocated to it. */
  allocated(pod: Pod): Pod;
}

/** Index of the pods that occupy the node, in their allocated versions, with the sums of their amounts (kubelet: the active pods of an admission). */
export interface ActivePods {
  /** Reads one pod again. Call it after each change of its desired or allocated version, of its worker, and of its containers. */
  refresh(podUid: string): void;
  /** Returns the active pods other than one, always the present ones. */
  except(podUid: string): OtherPods;
  /** Returns the sum of an amount of all active pods. @throws whatever `amountsOf` throws */
  sum(amountsOf: PodAmounts, name: string): bigint;
}

/** Creates an empty index. It keeps one sum for each name of each function of amounts; a change of a pod costs the same whatever the number of the others. */
export function createActivePods({ config, states, isRunning, allocated }: ActivePodsPorts): ActivePods {
  const pods = new Map<string, Pod>();
  const sums = new Map<PodAmounts, Map<string, bigint>>();

  const addTo = (totals: Map<string, bigint>, amountsOf: PodAmounts, pod: Pod, sign: 1n | -1n): void => {
    for (const [name, amount] of Object.entries(amountsOf(pod))) {
      const total = (totals.get(name) ?? 0n) + sign * amount;
      if (total === 0n) totals.delete(name);
      else totals.set(name, total);
    }
  };
  const count = (pod: Pod, sign: 1n | -1n): void => {
    for (const [amountsOf, totals] of sums) {
      try {
        addTo(totals, amountsOf, pod, sign);
      } catch {
        // The next sum starts anew, and reports the error.
        sums.delete(amountsOf);
      }
    }
  };
  const totalsOf = (amountsOf: PodAmounts): ReadonlyMap<string, bigint> => {
    let totals = sums.get(amountsOf);
    if (totals === undefined) {
      totals = new Map();
      for (const pod of pods.values()) addTo(totals, amountsOf, pod, 1n);
      sums.set(amountsOf, totals);
    }
    return totals;
  };

  const findActive = (uid: string): Pod | undefined => {
    const pod = config.find(uid);
    const state = states.state(uid);
    if (pod === undefined || state === undefined || isKnownTerminated(state)) return undefined;
    // A pod that ended before a restart of the agent occupies nothing, although its worker may not have found that out yet.
    return isTerminalPhase(pod.status?.phase) && !isRunning(uid) ? undefined : allocated(pod);
  };

  const sum = (amountsOf: PodAmounts, name: string): bigint => totalsOf(amountsOf).get(name) ?? 0n;

  return {
    sum,
    refresh(uid) {
      const [before, after] = [pods.get(uid), findActive(uid)];
      if (before === after) return;
      if (before !== undefined) count(before, -1n);
      if (after === undefined) pods.delete(uid);
      else {
        pods.set(uid, after);
        count(after, 1n);
      }
    },
    except(uid) {
      return {
        get count() {
          return pods.size - (pods.has(uid) ? 1 : 0);
        },
        list: () => [...pods.values()].filter((pod) => podUid(pod) !== uid),
        sum(amountsOf, name) {
          const own = pods.get(uid);
          return sum(amountsOf, name) - (own === undefined ? 0n : (amountsOf(own)[name] ?? 0n));
        },
      };
    },
  };
}
