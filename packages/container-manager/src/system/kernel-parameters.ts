import { errorMessage, type Logger } from '@rxlet/component-base';
import { readKernelFile, writeKernelFile } from '../tree/kernel-files.ts';
import { SystemCheckError } from './system-check-error.ts';

/** Port to the parameters of the kernel, by names such as `vm/overcommit_memory`. */
export interface KernelParameters {
  /** Rejects when the kernel does not have the parameter. */
  read(name: string): Promise<string>;
  write(name: string, value: string): Promise<void>;
}

/** Values that pods and their eviction rely on (kubelet: `setupKernelTunables`). */
const REQUIRED: readonly (readonly [name: string, value: string])[] = [
  ['vm/overcommit_memory', '1'],
  ['vm/panic_on_oom', '0'],
  ['kernel/panic', '10'],
  ['kernel/panic_on_oops', '1'],
  ['kernel/keys/root_maxkeys', '1000000'],
  ['kernel/keys/root_maxbytes', '25000000'],
];

/** Parameters of the kernel of this host. */
export const hostKernelParameters: KernelParameters = {
  async read(name) {
    const value = await readKernelFile(`/proc/sys/${name}`);
    if (value === undefined) throw new Error(`the kernel has no parameter ${name}`);
    return value;
  },
  write: (name, value) => writeKernelFile(`/proc/sys/${name}`, value),
};

/**
 * Sets the parameters of the kernel that have other values than a node needs. One that cannot be set, such as by an agent in a container, keeps its value, with
 * one warning for all.
 */
export async function setKernelParameters(parameters: KernelParameters, logger: Logger): Promise<void> {
  const failures: string[] = [];
  for (const [name, expected] of REQUIRED) {
    try {
      const actual = await parameters.read(name);
      if (actual === expected) continue;
      await parameters.write(name, expected);
      logger.info('set a parameter of the kernel', { name, from: actual, to: expected });
    } catch (error) {
      failures.push(`${name}=${expected}: ${errorMessage(error)}`);
    }
  }
  if (failures.length > 0) logger.warn('cannot set parameters of the kernel', { error: failures.join('; ') });
}

/** Compares the parameters of the kernel with those that a node needs. @throws SystemCheckError that lists the differences, in the kubelet's words */
export async function checkKernelParameters(parameters: KernelParameters): Promise<void> {
  const problems: string[] = [];
  for (const [name, expected] of REQUIRED) {
    try {
      const actual = await parameters.read(name);
      if (actual !== expected)
        problems.push(`invalid kernel flag: ${name}, expected value: ${expected}, actual value: ${actual}`);
    } catch (error) {
      problems.push(errorMessage(error));
    }
  }
  if (problems.length === 0) return;
  throw new SystemCheckError(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
}
