import { errorMessage } from '@rxlet/component-base';
import type { ContainerConfig } from '@rxlet/cri-api';
import type { Container, EphemeralContainer, Pod } from '@rxlet/kube-api';
import type { Context } from '../context.ts';

/** Runs the pre-create steps in order; each may amend the configuration. Rejects with the error of the first that fails. */
export async function runPreCreateSteps(
  { containerSteps }: Pick<Context, 'containerSteps'>,
  pod: Pod,
  container: Container | EphemeralContainer,
  config: ContainerConfig,
): Promise<void> {
  for (const step of containerSteps) await step.preCreate?.(pod, container, config);
}

/** Runs the pre-start steps in order. Rejects with the error of the first that fails. */
export async function runPreStartSteps(
  { containerSteps }: Pick<Context, 'containerSteps'>,
  pod: Pod,
  container: Container | EphemeralContainer,
  containerId: string,
): Promise<void> {
  for (const step of containerSteps) await step.preStart?.(pod, container, containerId);
}

/** Runs the post-stop steps in order. An error is logged and does not keep later steps from running. */
export async function runPostStopSteps(
  { containerSteps, logger }: Pick<Context, 'containerSteps' | 'logger'>,
  containerId: string,
): Promise<void> {
  for (const step of containerSteps) {
    try {
      await step.postStop?.(containerId);
    } catch (error) {
      logger.error('internal PostStop hook failed', { step: step.name, containerId, error: errorMessage(error) });
    }
  }
}
