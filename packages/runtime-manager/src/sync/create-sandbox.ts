import { errorMessage } from '@rxlet/component-base';
import { type PodSandboxConfig, PodSandboxState } from '@rxlet/cri-api';
import type { Pod } from '@rxlet/kube-api';
import { convertSandboxStatus, formatPod, isHostNetworkPod, podEventObject, PodLabel } from '@rxlet/pod-model';
import { buildSandboxConfig } from '../config/build-sandbox-config.ts';
import { type DnsWarning, podDns } from '../config/dns-config.ts';
import type { Context } from '../context.ts';
import { failingAs } from './step-failure.ts';
import { mayHaveHappened } from './unknown-outcome.ts';

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
 * Creates a pod's sandbox and asks for its addresses.
 * @throws StepFailure
 */
export async function createSandbox(
  context: Context,
  pod: Pod,
  attempt: number,
  signal: AbortSignal | undefined,
): Promise<SandboxHandle> {
  const { metrics, events, runtime } = context;
  const warn = (reason: string, message: string): void => events.event(podEventObject(pod), 'Warning', reason, message);
  return failingAs('CreatePodSandboxError', async () => {
    metrics.startedPods.inc();
    const { id, config } = await runSandbox(context, pod, attempt, warn, signal).catch((error: unknown) => {
      metrics.startedPodErrors.inc();
      warn('FailedCreatePodSandBox', `Failed to create pod sandbox: ${errorMessage(error)}`);
      throw error;
    });
    try {
      const { status } = await runtime.podSandboxStatus({ podSandboxId: id }, { signal });
      return { id, config, ips: isHostNetworkPod(pod) ? [] : convertSandboxStatus(status).ips };
    } catch (error) {
      warn('FailedPodSandBoxStatus', `Unable to get pod sandbox status: ${errorMessage(error)}`);
      throw error;
    }
  });
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
  const startMs = context.clock.monotonicNow();
  try {
    const { podSandboxId } = await context.runtime.runPodSandbox({ config, runtimeHandler }, { signal });
    if (podSandboxId === '') throw new Error(`the runtime gave the sandbox of pod "${formatPod(pod)}" no id`);
    return { id: podSandboxId, config };
  } catch (error) {
    const found = mayHaveHappened(error) ? await findReadySandbox(context, pod, attempt, signal) : undefined;
    if (found !== undefined) return { id: found, config };
    context.metrics.runSandboxErrors.inc({ runtime_handler: runtimeHandler });
    throw error;
  } finally {
    const seconds = (context.clock.monotonicNow() - startMs) / 1000;
    context.metrics.runSandboxSeconds.observe(seconds, { runtime_handler: runtimeHandler });
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
