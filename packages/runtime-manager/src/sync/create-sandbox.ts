import { callErrorText, type PodSandboxConfig, PodSandboxState } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { convertSandboxStatus, formatPod, isHostNetworkPod, podEventObject, PodLabel } from '@rxlet/pod-model';
import { buildSandboxConfig } from '../config/build-sandbox-config.ts';
import { type DnsWarning, podDns } from '../config/dns-config.ts';
import type { Context } from '../context.ts';
import { finishSentCall } from './finish-sent-call.ts';
import { StepFailure } from './step-failure.ts';
import { callOrLook } from './unknown-outcome.ts';

/** A sandbox that containers can be started in. */
export interface SandboxHandle {
  readonly id: string;
  readonly config: PodSandboxConfig;
  /** Its addresses, the primary one first; empty on the node's network. */
  readonly ips: readonly string[];
}

/** The configuration of a pod's sandbox, for creating it and for the calls about its containers. */
export async function sandboxConfigFor(
  { cgroupParent, settings, resolvConf }: Context,
  pod: Pod,
  attempt: number,
): Promise<{ readonly config: PodSandboxConfig; readonly warnings: readonly DnsWarning[] }> {
  const dns = podDns(pod, { ...settings, resolvConf: await resolvConf() });
  const config = buildSandboxConfig({ pod, attempt, dns, cgroupParent: cgroupParent(pod), settings });
  return { config, warnings: dns.warnings };
}

/**
 * Creates a pod's sandbox.
 * @param isTerminationRequested with the pod on its way out, that no sandbox could be made for it is no news.
 * @returns `undefined` when there is none for that reason, or because the sync was aborted.
 * @throws StepFailure
 */
export async function createSandbox(
  context: Context,
  pod: Pod,
  attempt: number,
  isTerminationRequested: () => boolean,
  signal: AbortSignal | undefined,
): Promise<Omit<SandboxHandle, 'ips'> | undefined> {
  const { metrics, events } = context;
  const warn = (reason: string, message: string): void => events.event(podEventObject(pod), 'Warning', reason, message);
  metrics.startedPods.inc();
  try {
    return await runSandbox(context, pod, attempt, warn, signal);
  } catch (error) {
    if (isTerminationRequested() || signal?.aborted === true) return undefined;
    metrics.startedPodErrors.inc();
    const text = callErrorText(error);
    warn('FailedCreatePodSandBox', `Failed to create pod sandbox: ${text}`);
    const message = `Failed to create sandbox for pod "${formatPod(pod)}": ${text}`;
    throw new StepFailure('CreatePodSandboxError', message, { cause: error });
  }
}

/**
 * Asks for the addresses of a new sandbox.
 * @throws StepFailure; the sandbox is there, and the next sync goes on with it.
 */
export async function readSandboxIps(
  { runtime, events }: Context,
  pod: Pod,
  podSandboxId: string,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  try {
    const { status } = await runtime.podSandboxStatus({ podSandboxId }, { signal });
    return isHostNetworkPod(pod) ? [] : convertSandboxStatus(status).ips;
  } catch (error) {
    const text = callErrorText(error);
    if (signal?.aborted !== true) {
      const message = `Unable to get pod sandbox status: ${text}`;
      events.event(podEventObject(pod), 'Warning', 'FailedPodSandBoxStatus', message);
    }
    throw new StepFailure('CreatePodSandboxError', text, { cause: error });
  }
}

async function runSandbox(
  context: Context,
  pod: Pod,
  attempt: number,
  warn: (reason: string, message: string) => void,
  signal: AbortSignal | undefined,
): Promise<{ id: string; config: PodSandboxConfig }> {
  const { config, warnings } = await sandboxConfigFor(context, pod, attempt);
  for (const { reason, message } of warnings) warn(reason, message);
  await context.files.makeDirectory(config.logDirectory, 0o755);
  const runtimeHandler = await context.runtimeHandler(pod);
  const labels = { runtime_handler: runtimeHandler };
  const run = async (): Promise<string> => {
    const { podSandboxId } = await finishSentCall(context.clock, signal, (callSignal) =>
      context.runtime.runPodSandbox({ config, runtimeHandler }, { signal: callSignal }),
    );
    if (podSandboxId === '') throw new Error(`the runtime gave the sandbox of pod "${formatPod(pod)}" no id`);
    return podSandboxId;
  };
  const startMs = context.clock.monotonicNow();
  try {
    return { id: await callOrLook(run, () => findReadySandbox(context, pod, attempt, signal)), config };
  } catch (error) {
    context.metrics.runSandboxErrors.inc(labels);
    throw error;
  } finally {
    context.metrics.runSandboxSeconds.observe((context.clock.monotonicNow() - startMs) / 1000, labels);
  }
}

/**
 * Looks for the sandbox that an earlier call made. One that is not there yet, but whose name the runtime has reserved, is still being made: then
 * creating it goes on failing until it shows, and the sync that sees it takes it, or replaces it by one with the next attempt.
 */
async function findReadySandbox(
  { runtime }: Context,
  pod: Pod,
  attempt: number,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const labelSelector = { [PodLabel.podUid]: pod.metadata?.uid ?? '' };
  const { items } = await runtime.listPodSandbox({ filter: { labelSelector } }, { signal });
  return items.find(({ metadata, state }) => metadata?.attempt === attempt && state === PodSandboxState.SANDBOX_READY)
    ?.id;
}
