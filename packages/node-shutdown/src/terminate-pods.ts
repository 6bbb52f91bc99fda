import type { AgentCore } from '@rxlet/agent-api';
import { type Clock, errorMessage, type Logger, sleep, toRfc3339 } from '@rxlet/component-base';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, podUid } from '@rxlet/pod-model';
import { groupIndexOf, pendingGroups, shutdownGraceSeconds } from './plan/plan-shutdown.ts';
import type { ShutdownGroup } from './plan/shutdown-groups.ts';
import type { ShutdownState } from './shutdown-state.ts';
import { shutdownStatus } from './shutdown-status.ts';

/** Ports of {@link terminatePods}. */
export interface TerminatePodsPorts {
  readonly core: Pick<AgentCore, 'activePods' | 'killPod'>;
  readonly hasVolumes: (podUid: string) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Receives the pods whose termination was requested, by UID. */
  readonly terminated: Map<string, Pod>;
  /** Records the group whose pods end now. Called before their termination. */
  progress(group: NonNullable<ShutdownState['group']>): Promise<void>;
}

/** Options of {@link terminatePods}. */
export interface TerminatePodsOptions {
  readonly groups: readonly ShutdownGroup[];
  /** The group at which an earlier run of the agent was interrupted. Default: none, the first group begins. */
  readonly resumed?: ShutdownState['group'];
}

const POLL_MS = 100;

/**
 * Terminates all pods, one group after the other. The next group begins when all pods of a group have ended and their volumes are unmounted, at the latest at the
 * end of the group's time. A group without pods takes no time. Pods that become active on the way end with the current group.
 */
export async function terminatePods(
  ports: TerminatePodsPorts,
  { groups, resumed }: TerminatePodsOptions,
  signal: AbortSignal,
): Promise<void> {
  const { core, hasVolumes, clock, logger, terminated, progress } = ports;
  const pending = new Set<string>();

  const kill = async (pod: Pod, gracePeriodSeconds: number): Promise<void> => {
    const fields = { pod: formatPod(pod), gracePeriodSeconds };
    logger.info('the shutdown of the node terminates a pod', fields);
    try {
      await core.killPod(
        pod,
        {
          reason: 'killed',
          gracePeriodSeconds,
          amendStatus: (status) => shutdownStatus(pod, status, toRfc3339(clock.now())),
        },
        signal,
      );
    } catch (error) {
      if (!signal.aborted) logger.warn('a pod did not end in time', { ...fields, error: errorMessage(error) });
    } finally {
      pending.delete(podUid(pod));
    }
  };
  /** Pods of the group, and of earlier ones, whose termination was not requested yet. */
  const unterminated = (index: number): readonly Pod[] =>
    core.activePods().filter((pod) => groupIndexOf(groups, pod) <= index && !terminated.has(podUid(pod)));

  const endGroup = async (index: number, startMs: number): Promise<void> => {
    const deadlineMs = startMs + groups[index]!.gracePeriodSeconds * 1000;
    const ofGroup: string[] = [];
    for (;;) {
      const pods = unterminated(index);
      if (pods.length > 0) {
        for (const pod of pods) {
          terminated.set(podUid(pod), pod);
          pending.add(podUid(pod));
          ofGroup.push(podUid(pod));
        }
        await progress({ index, startMs });
        const leftSeconds = (deadlineMs - clock.now()) / 1000;
        for (const pod of pods) void kill(pod, shutdownGraceSeconds(pod, leftSeconds));
      }
      const leftMs = deadlineMs - clock.now();
      if (leftMs <= 0 || !ofGroup.some((uid) => pending.has(uid) || hasVolumes(uid))) return;
      await sleep(clock, Math.min(POLL_MS, leftMs), signal);
    }
  };

  let next = resumed?.index ?? 0;
  for (;;) {
    const active = core.activePods().filter((pod) => !terminated.has(podUid(pod)));
    const [index] = pendingGroups(groups, active, Math.min(next, groups.length - 1));
    if (index === undefined) return;
    const isResumed = index === resumed?.index;
    await endGroup(index, isResumed ? resumed.startMs : clock.now());
    next = index + 1;
  }
}
