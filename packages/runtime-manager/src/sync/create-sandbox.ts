import { inSpan } from '@rxlet/agent-api/journal';
import { type PodSandboxConfig, PodSandboxState } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { formatPod, isHostNetworkPod, podEventObject, PodLabel, podUid } from '@rxlet/pod-model';
import { convertSandboxStatus } from '@rxlet/pod-model/cri';
import { buildSandboxConfig } from '../config/build-sandbox-config.ts';
import { type DnsWarning, podDns } from '../config/dns-config.ts';
import type { Context } from '../context.ts';
import { volumeGroups } from '../mounts/volume-groups.ts';
import { podUsers, type PodUsersPorts } from '../userns/pod-users.ts';
import { finishSentCall } from './finish-sent-call.ts';
import { failureText, StepFailure } from './step-failure.ts';
import { confirmOutcome } from './unknown-outcome.ts';

/** Sandbox in which containers can be started. */
export interface SandboxHandle {
  readonly id: string;
  readonly config: PodSandboxConfig;
  /** Addresses, the primary one first; empty on the node's network. */
  readonly ips: readonly string[];
}

/** Ports of {@link sandboxConfigFor}. */
export type SandboxConfigPorts = PodUsersPorts & Pick<Context, 'cgroupParent' | 'settings' | 'resolvConf' | 'volumes'>;

/** Ports of {@link createSandbox}. */
export type CreateSandboxPorts = SandboxConfigPorts &
  Pick<Context, 'clock' | 'stopping' | 'events' | 'journal' | 'files' | 'metrics'>;

/** Returns the configuration of a pod's sandbox, for its creation and for calls about its containers. */
export async function sandboxConfigFor(
  ports: SandboxConfigPorts,
  pod: Pod,
  attempt: number,
  signal: AbortSignal | undefined,
): Promise<{ readonly config: PodSandboxConfig; readonly warnings: readonly DnsWarning[] }> {
  const { cgroupParent, settings } = ports;
  const users = await podUsers(ports, pod, signal);
  const dns = podDns(pod, { ...settings, resolvConf: await ports.resolvConf() });
  const config = buildSandboxConfig({
    pod,
    attempt,
    dns,
    cgroupParent: cgroupParent(pod),
    users,
    volumeGroups: volumeGroups(pod, ports.volumes),
    settings,
  });
  return { config, warnings: dns.warnings };
}

/**
 * Creates a pod's sandbox.
 * @param isTerminationRequested reports whether the pod must terminate, so that a failure is not recorded
 * @returns `undefined` after a failure when the pod must terminate or the sync was aborted
 * @throws StepFailure
 */
export async function createSandbox(
  ports: CreateSandboxPorts,
  pod: Pod,
  attempt: number,
  isTerminationRequested: () => boolean,
  signal: AbortSignal | undefined,
): Promise<Omit<SandboxHandle, 'ips'> | undefined> {
  const { metrics, events } = ports;
  const warn = (reason: string, message: string): void => events.event(podEventObject(pod), 'Warning', reason, message);
  try {
    const span = { kind: 'sandbox.create', attributes: { attempt } } as const;
    return await inSpan(ports.journal, pod.metadata, span, () => runSandbox(ports, pod, attempt, warn, signal), signal);
  } catch (error) {
    if (isTerminationRequested() || signal?.aborted === true) return undefined;
    metrics.startedPodErrors.inc();
    const text = failureText(error);
    warn('FailedCreatePodSandBox', `Failed to create pod sandbox: ${text}`);
    const message = `Failed to create sandbox for pod "${formatPod(pod)}": ${text}`;
    throw new StepFailure('CreatePodSandboxError', message, { cause: error });
  }
}

/**
 * Reads the addresses of a new sandbox.
 * @throws StepFailure; the sandbox exists, and the next sync continues with it
 */
export async function readSandboxIps(
  { runtime, events }: Pick<Context, 'runtime' | 'events'>,
  pod: Pod,
  podSandboxId: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  try {
    const { status } = await runtime.podSandboxStatus({ podSandboxId }, { signal });
    return isHostNetworkPod(pod) ? [] : convertSandboxStatus(status).ips;
  } catch (error) {
    const text = failureText(error);
    if (signal?.aborted !== true) {
      const message = `Unable to get pod sandbox status: ${text}`;
      events.event(podEventObject(pod), 'Warning', 'FailedPodSandBoxStatus', message);
    }
    throw new StepFailure('CreatePodSandboxError', text, { cause: error });
  }
}

async function runSandbox(
  ports: CreateSandboxPorts,
  pod: Pod,
  attempt: number,
  warn: (reason: string, message: string) => void,
  signal: AbortSignal | undefined,
): Promise<{ id: string; config: PodSandboxConfig }> {
  const { config, warnings } = await sandboxConfigFor(ports, pod, attempt, signal);
  for (const { reason, message } of warnings) warn(reason, message);
  await ports.files.makeDirectory(config.logDirectory, 0o755);
  const runtimeHandler = await ports.runtimeHandler(pod);
  const labels = { runtime_handler: runtimeHandler };
  const run = async (): Promise<string> => {
    const { podSandboxId } = await finishSentCall(ports, signal, (callSignal) =>
      ports.runtime.runPodSandbox({ config, runtimeHandler }, { signal: callSignal }),
    );
    if (podSandboxId === '') throw new Error(`the runtime returned no id for the sandbox of pod "${formatPod(pod)}"`);
    return podSandboxId;
  };
  const startMs = ports.clock.monotonicNow();
  try {
    return { id: await confirmOutcome(run, () => findReadySandbox(ports, pod, attempt, signal)), config };
  } catch (error) {
    ports.metrics.runSandboxErrors.inc(labels);
    throw error;
  } finally {
    ports.metrics.runSandboxSeconds.observe((ports.clock.monotonicNow() - startMs) / 1000, labels);
  }
}

/**
 * Returns the id of the ready sandbox that an earlier call created. While that call is still running, the runtime has reserved the name, and further calls
 * fail. A later sync finds the sandbox and adopts it, or replaces it by one with the next attempt number.
 */
async function findReadySandbox(
  { runtime }: Pick<Context, 'runtime'>,
  pod: Pod,
  attempt: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const labelSelector = { [PodLabel.podUid]: podUid(pod) };
  const { items } = await runtime.listPodSandbox({ filter: { labelSelector } }, { signal });
  return items.find(({ metadata, state }) => metadata?.attempt === attempt && state === PodSandboxState.SANDBOX_READY)
    ?.id;
}
