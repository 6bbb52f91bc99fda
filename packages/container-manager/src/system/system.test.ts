import { createLifetime } from '@rxlet/component-base';
import { createVirtualClock, recordingLogger } from '@rxlet/component-base/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ContainerManagerOptions } from '../container-manager-options.ts';
import { createMemoryCgroups } from '../testing/memory-cgroups.ts';
import { CgroupsUnavailable } from '../tree/cgroup-file-system.ts';
import type { Processes } from './host-processes.ts';
import type { KernelParameters } from './kernel-parameters.ts';
import { checkSystem, moveProcesses, type SystemPorts } from './system.ts';
import { SystemCheckError } from './system-check-error.ts';

const REQUIRED = {
  'vm/overcommit_memory': '1',
  'vm/panic_on_oom': '0',
  'kernel/panic': '10',
  'kernel/panic_on_oops': '1',
  'kernel/keys/root_maxkeys': '1000000',
  'kernel/keys/root_maxbytes': '25000000',
};
const OWN_PID = 42;

function bench(options: Partial<ContainerManagerOptions>, ports: Partial<SystemPorts> = {}) {
  const clock = createVirtualClock();
  const logger = recordingLogger();
  const cgroups = createMemoryCgroups({ version: 1 });
  const lifetime = createLifetime();
  onTestFinished(() => lifetime[Symbol.asyncDispose]());
  const all: SystemPorts = { clock, logger, openCgroups: async () => cgroups, ...ports };
  const given = { nodeName: 'node1', rootDirectory: '/root', ...options };
  return {
    clock,
    cgroups,
    logger,
    check: () => checkSystem(all, given),
    async move() {
      await moveProcesses(all, given, lifetime);
      await clock.settle();
    },
    warnings: () => logger.lines.filter(({ level }) => level === 'warn'),
  };
}

function kernel(values: Readonly<Record<string, string>>, readOnly = false) {
  const current = new Map(Object.entries(values));
  const parameters: KernelParameters = {
    async read(name) {
      const value = current.get(name);
      if (value === undefined) throw new Error(`the kernel has no parameter ${name}`);
      return value;
    },
    async write(name, value) {
      if (readOnly) throw new Error('EROFS: read-only file system');
      current.set(name, value);
    },
  };
  return { parameters, values: () => Object.fromEntries(current) };
}

function processes({ cgroupOf = async () => '/', hasNodePids = async () => true }: Partial<Processes> = {}): Processes {
  return { ownPid: OWN_PID, cgroupOf, hasNodePids, isKernelThread: async (pid) => pid < 10 };
}

describe('swap', () => {
  const on = async (): Promise<boolean> => true;

  it('stops the start of the agent if the options say so', async () => {
    const problem = 'running with swap on is not supported, please disable swap or set --fail-swap-on flag to false';
    await expect(bench({ failSwapOn: true }, { isSwapOn: on }).check()).rejects.toThrow(new SystemCheckError(problem));
    await bench({ failSwapOn: true }, { isSwapOn: async () => false }).check();
    await bench({ failSwapOn: false }, { isSwapOn: on }).check();
  });

  it('stops the start when it is unknown', async () => {
    const isSwapOn = (): Promise<boolean> => Promise.reject(new Error('EACCES: permission denied'));
    await expect(bench({ failSwapOn: true }, { isSwapOn }).check()).rejects.toThrow(
      new SystemCheckError('failed to determine if swap is on: EACCES: permission denied'),
    );
  });
});

describe('parameters of the kernel', () => {
  const different = { ...REQUIRED, 'vm/overcommit_memory': '0', 'kernel/panic': '0' };

  it('get the values that a node needs', async () => {
    const { parameters, values } = kernel(different);
    await bench({ kernelParameters: 'set' }, { kernelParameters: parameters }).check();
    expect(values()).toEqual(REQUIRED);
  });

  it('keep their values, with a warning, where they cannot be set', async () => {
    const { parameters, values } = kernel(different, true);
    const { check, warnings } = bench({ kernelParameters: 'set' }, { kernelParameters: parameters });
    await check();
    expect(values()).toEqual(different);
    expect(warnings()).toMatchObject([
      {
        message: 'cannot set parameters of the kernel',
        fields: {
          error: 'vm/overcommit_memory=1: EROFS: read-only file system; kernel/panic=10: EROFS: read-only file system',
        },
      },
    ]);
  });

  it('stop the start of the agent when they are protected and different', async () => {
    const check = ({ parameters }: ReturnType<typeof kernel>): Promise<void> =>
      bench({ kernelParameters: 'check' }, { kernelParameters: parameters }).check();
    await check(kernel(REQUIRED, true));
    await expect(check(kernel(different))).rejects.toThrow(
      new SystemCheckError(
        '[invalid kernel flag: vm/overcommit_memory, expected value: 1, actual value: 0, invalid kernel flag: kernel/panic, expected value: 10, actual value: 0]',
      ),
    );
    await expect(check(kernel({ ...REQUIRED, 'kernel/panic': '1' }))).rejects.toThrow(
      new SystemCheckError('invalid kernel flag: kernel/panic, expected value: 10, actual value: 1'),
    );
    const { 'kernel/panic': _panic, ...others } = REQUIRED;
    await expect(check(kernel(others))).rejects.toThrow(
      new SystemCheckError('the kernel has no parameter kernel/panic'),
    );
  });

  it('keep their values by default', async () => {
    const { parameters, values } = kernel(different);
    await bench({}, { kernelParameters: parameters }).check();
    expect(values()).toEqual(different);
  });
});

describe('the cgroup of the agent', () => {
  const kubeletCgroups = '/kubelet.slice';

  it('gets the process at once, and again when it was moved away', async () => {
    let current = '/';
    const { move, cgroups, clock } = bench(
      { kubeletCgroups },
      { processes: processes({ cgroupOf: async () => current }) },
    );
    await move();
    expect(await cgroups.processes('/kubelet.slice')).toEqual([OWN_PID]);
    current = '/kubelet.slice';
    cgroups.putProcess('/elsewhere', 7);
    await cgroups.addProcess('/elsewhere', OWN_PID);
    await clock.advance(60_000);
    expect(await cgroups.processes('/elsewhere')).toEqual([7, OWN_PID]);
    current = '/elsewhere';
    await clock.advance(60_000);
    expect(await cgroups.processes('/kubelet.slice')).toEqual([OWN_PID]);
  });

  it('unites CPU and memory that were accounted in different cgroups', async () => {
    const cgroupOf = (): Promise<never> => Promise.reject(new Error('not unified'));
    const { move, cgroups } = bench({ kubeletCgroups: 'kubelet' }, { processes: processes({ cgroupOf }) });
    await move();
    expect(await cgroups.processes('/kubelet')).toEqual([OWN_PID]);
  });

  it('is not created for an agent in a container', async () => {
    const { move, cgroups } = bench({ kubeletCgroups }, { processes: processes({ hasNodePids: async () => false }) });
    await move();
    expect(cgroups.paths()).toEqual([]);
  });

  it('gets the process when a failure has passed, with one warning', async () => {
    const { move, cgroups, clock, warnings } = bench({ kubeletCgroups }, { processes: processes() });
    cgroups.fail('addProcess', kubeletCgroups, new Error('EBUSY: device or resource busy'));
    await move();
    await clock.advance(120_000);
    expect(warnings()).toMatchObject([{ message: 'cannot move processes to their cgroups; it is tried again' }]);
    cgroups.fail('addProcess', kubeletCgroups, undefined);
    await clock.advance(60_000);
    expect(await cgroups.processes(kubeletCgroups)).toEqual([OWN_PID]);
  });

  it('outside of that for reserved resources is worth a warning', async () => {
    const warningsOf = async (kubeReservedCgroup: string): Promise<number> => {
      const { move, warnings } = bench({ kubeletCgroups, kubeReservedCgroup }, { processes: processes() });
      await move();
      return warnings().length;
    };
    expect(await warningsOf('/kube.slice')).toBe(1);
    expect(await warningsOf('/kubelet.slice')).toBe(0);
  });
});

describe('the cgroup of the system', () => {
  it('gets all processes of the root except the first one, and those of the kernel', async () => {
    const { move, cgroups, clock } = bench({ systemCgroups: '/system' }, { processes: processes() });
    for (const pid of [1, 2, 9, 10, 11]) cgroups.putProcess('/', pid);
    cgroups.putProcess('/other', 12);
    await move();
    expect(await cgroups.processes('/system')).toEqual([10, 11]);
    expect(await cgroups.processes('/')).toEqual([1, 2, 9]);
    cgroups.putProcess('/', 13);
    await clock.advance(60_000);
    expect(await cgroups.processes('/system')).toEqual([10, 11, 13]);
  });

  it('is not created without a process to move', async () => {
    const { move, cgroups } = bench({ systemCgroups: '/system' }, { processes: processes() });
    cgroups.putProcess('/', 1);
    await move();
    expect(cgroups.paths()).toEqual([]);
  });

  it('names a process that cannot be moved, after a bounded number of attempts', async () => {
    const { move, cgroups, warnings } = bench({ systemCgroups: '/system' }, { processes: processes() });
    cgroups.putProcess('/', 10);
    cgroups.fail('addProcess', '/system', new Error('EINVAL: invalid argument'));
    await move();
    expect(warnings()).toMatchObject([
      { fields: { error: 'failed to move PID 10 into the system container "/system": EINVAL: invalid argument' } },
    ]);
  });

  it('must not be the root', async () => {
    await expect(bench({ systemCgroups: '/' }).check()).rejects.toThrow(
      new SystemCheckError('system container cannot be root ("/")'),
    );
  });

  it('is worth one warning where there are no cgroups', async () => {
    const openCgroups = (): Promise<never> =>
      Promise.reject(new CgroupsUnavailable('no cgroup file system is mounted'));
    const { move, warnings } = bench({ systemCgroups: '/system' }, { processes: processes(), openCgroups });
    await move();
    expect(warnings()).toMatchObject([{ message: 'cannot move processes to cgroups' }]);
  });
});
