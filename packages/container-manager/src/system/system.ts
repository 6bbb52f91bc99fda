import { type Clock, errorMessage, type Lifetime, type Logger } from '@rxlet/component-base';
import type { ContainerManagerOptions } from '../container-manager-options.ts';
import { CgroupsUnavailable, type OpenCgroups } from '../tree/cgroup-file-system.ts';
import { hostProcesses, type Processes } from './host-processes.ts';
import {
  checkKernelParameters,
  hostKernelParameters,
  type KernelParameters,
  setKernelParameters,
} from './kernel-parameters.ts';
import { checkSystemCgroups, keepSystemCgroups } from './system-cgroups.ts';
import { SystemCheckError } from './system-check-error.ts';

/** Ports to the machine below the pods. */
export interface SystemPorts {
  readonly openCgroups: OpenCgroups;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Reports whether the node swaps. Default: it does not. */
  readonly isSwapOn?: (() => Promise<boolean>) | undefined;
  /** Default: those of this host. */
  readonly kernelParameters?: KernelParameters | undefined;
  /** Default: those of this host. */
  readonly processes?: Processes | undefined;
}

/** Checks the machine, and sets the parameters of its kernel, as the options say. @throws SystemCheckError */
export async function checkSystem(ports: SystemPorts, options: ContainerManagerOptions): Promise<void> {
  const { kernelParameters = hostKernelParameters, isSwapOn, logger } = ports;
  if (options.failSwapOn === true && isSwapOn !== undefined) await checkSwap(isSwapOn);
  checkSystemCgroups(options);
  if (options.kernelParameters === 'check') await checkKernelParameters(kernelParameters);
  if (options.kernelParameters === 'set') await setKernelParameters(kernelParameters, logger);
}

/** Begins to move processes to the cgroups of the options, if there are some. Resolves at once. */
export async function moveProcesses(
  ports: SystemPorts,
  options: ContainerManagerOptions,
  lifetime: Lifetime,
): Promise<void> {
  const { kubeletCgroups, systemCgroups, kubeReservedCgroup } = options;
  if (!kubeletCgroups && !systemCgroups) return;
  const { processes = hostProcesses, clock, logger } = ports;
  if (kubeletCgroups && kubeReservedCgroup && !kubeletCgroups.startsWith(kubeReservedCgroup)) {
    const names = { kubeletCgroups, kubeReservedCgroup };
    logger.warn('the cgroup of the agent is not within that of its reserved resources', names);
  }
  try {
    const cgroups = await ports.openCgroups();
    const system = { clock, logger, processes, cgroups };
    void lifetime.track(keepSystemCgroups(system, options, lifetime.signal)).catch(() => undefined);
  } catch (error) {
    if (!(error instanceof CgroupsUnavailable)) throw error;
    logger.warn('cannot move processes to cgroups', { kubeletCgroups, systemCgroups, error: error.message });
  }
}

async function checkSwap(isSwapOn: () => Promise<boolean>): Promise<void> {
  let isOn: boolean;
  try {
    isOn = await isSwapOn();
  } catch (error) {
    throw new SystemCheckError(`failed to determine if swap is on: ${errorMessage(error)}`, { cause: error });
  }
  if (!isOn) return;
  throw new SystemCheckError(
    'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false',
  );
}
