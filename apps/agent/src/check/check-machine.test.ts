import { describe, expect, it } from 'vitest';
import { checkMachine, type Finding } from './check-machine.ts';
import type { MachineFacts, NodeNeeds, RuntimeFacts } from './machine-facts.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const runtime: Extract<RuntimeFacts, { kind: 'available' }> = {
  kind: 'available',
  name: 'containerd',
  version: '2.0.2',
  conditions: [
    { type: 'RuntimeReady', status: true, message: '' },
    { type: 'NetworkReady', status: true, message: '' },
  ],
  cniConfigurations: ['10-pods.conflist'],
};
const fit: MachineFacts = {
  nowMs: NOW_MS,
  userId: 0,
  kernelRelease: '6.1.0-30-amd64',
  sysctls: { 'net.ipv4.ip_forward': '1', 'fs.inotify.max_user_watches': '65536' },
  fileSystems: 'nodev\ttmpfs\nnodev\toverlay\n',
  cgroups: { version: 2, controllers: ['cpuset', 'cpu', 'io', 'memory', 'pids'], isReadOnly: false },
  isSwapOn: false,
  runtime,
  ports: [{ name: '--port', address: '0.0.0.0', port: 10250, problem: undefined }],
  clock: { earliestMs: NOW_MS - DAY_MS, isSynchronized: true },
  certificates: [{ path: '/pki/ca.crt', purpose: 'client CA', validity: { fromMs: 0, toMs: NOW_MS + 90 * DAY_MS } }],
  disk: { path: '/var/lib/kubelet', availableBytes: 50, capacityBytes: 100 },
  isAgentRunning: false,
  missingPrograms: [],
};
const needs: NodeNeeds = { isTrial: false, failSwapOn: true, failCgroupV1: false, isInCluster: true };
const problemsOf = (facts: Partial<MachineFacts>, more: Partial<NodeNeeds> = {}): readonly Finding[] =>
  checkMachine({ ...fit, ...facts }, { ...needs, ...more }).filter(({ level }) => level !== 'ok');

describe('checkMachine', () => {
  it('finds nothing wrong with a machine that is fit, and says what it looked at', () => {
    const findings = checkMachine(fit, needs);
    expect(findings.every(({ level }) => level === 'ok')).toBe(true);
    expect(findings.map(({ check, message }) => `${check}: ${message}`)).toEqual([
      'agent: no other agent uses the root directory',
      'user: user 0',
      'kernel: 6.1.0-30-amd64',
      'cgroups: v2 with cpuset, cpu, io, memory, pids',
      'runtime: containerd 2.0.2',
      'network: the runtime has a pod network',
      'ports: 10250 can be opened',
      'swap: off',
      'time: 2026-01-01T00:00:00.000Z',
      'certificates: 1 valid',
      'disk: 50% of /var/lib/kubelet is free',
      'programs: all are there',
    ]);
  });

  it.each<[check: string, level: Finding['level'], facts: Partial<MachineFacts>, message: string, help: string]>([
    ['agent', 'warning', { isAgentRunning: true }, 'runs with this root directory', '--root-dir'],
    ['user', 'error', { userId: 1000 }, 'user 1000 is not root', 'as root'],
    ['kernel', 'error', { kernelRelease: '4.18.0' }, 'older than 4.19', 'upgrade'],
    ['kernel', 'warning', { kernelRelease: '5.7.1' }, 'cgroup v2 without', 'upgrade'],
    ['kernel', 'warning', { fileSystems: 'nodev\ttmpfs\n' }, 'overlay is not loaded', 'modprobe overlay'],
    [
      'kernel',
      'warning',
      { sysctls: { 'net.ipv4.ip_forward': '0' } },
      'ip_forward is 0',
      'sysctl -w net.ipv4.ip_forward=1',
    ],
    ['kernel', 'warning', { sysctls: { 'fs.inotify.max_user_watches': '100' } }, 'is 100', 'max_user_watches=65536'],
    ['cgroups', 'error', { cgroups: undefined }, 'no cgroup file system', 'mount cgroup2'],
    [
      'cgroups',
      'error',
      { cgroups: { version: 2, controllers: ['cpu', 'cpuset', 'pids'], isReadOnly: false } },
      'cgroup v2 has no memory',
      'cgroup_enable=memory',
    ],
    ['cgroups', 'error', { cgroups: { ...fit.cgroups!, isReadOnly: true } }, 'read-only', '--privileged'],
    ['cgroups', 'warning', { cgroups: { ...fit.cgroups!, version: 1 } }, 'cgroup v1', 'unified_cgroup_hierarchy'],
    ['runtime', 'error', { runtime: { kind: 'unavailable', message: 'no socket' } }, 'no socket', 'systemctl start'],
    [
      'runtime',
      'error',
      { runtime: { ...runtime, conditions: [{ type: 'RuntimeReady', status: false, message: 'starting' }] } },
      'containerd is not ready: starting',
      'log of containerd',
    ],
    [
      'network',
      'error',
      {
        runtime: {
          ...runtime,
          conditions: [{ type: 'NetworkReady', status: false, message: 'cni plugin not initialized' }],
          cniConfigurations: undefined,
        },
      },
      'no pod network: cni plugin not initialized',
      'put a CNI configuration into /etc/cni/net.d',
    ],
    [
      'ports',
      'error',
      { ports: [{ name: '--port', address: '0.0.0.0', port: 10250, problem: 'EADDRINUSE' }] },
      '0.0.0.0:10250 (--port) is in use',
      'sport = :10250',
    ],
    ['swap', 'error', { isSwapOn: true }, 'swap is on', 'swapoff -a'],
    ['time', 'error', { clock: { earliestMs: NOW_MS + DAY_MS, isSynchronized: true } }, 'in the past', 'chrony'],
    ['time', 'warning', { clock: { earliestMs: 0, isSynchronized: false } }, 'is not synchronized', 'chrony'],
    [
      'certificates',
      'error',
      { certificates: [{ path: '/c', purpose: 'client certificate', validity: { fromMs: 0, toMs: NOW_MS } }] },
      'the client certificate /c expired on 2026-01-01',
      'renew',
    ],
    [
      'certificates',
      'warning',
      { certificates: [{ path: '/c', purpose: 'client CA', validity: { fromMs: 0, toMs: NOW_MS + 3 * DAY_MS } }] },
      'expires in 3.0 days',
      'renew',
    ],
    [
      'certificates',
      'error',
      { certificates: [{ path: '/c', purpose: 'client CA', validity: { fromMs: NOW_MS + 1, toMs: NOW_MS + 2 } }] },
      'is valid from 2026',
      'check the clock',
    ],
    ['disk', 'warning', { disk: { path: '/', availableBytes: 5, capacityBytes: 100 } }, 'has 5% left', 'free space'],
    ['programs', 'warning', { missingPrograms: ['iptables'] }, 'PATH lacks iptables', 'install'],
  ])('reports %s as %s, with the way out: %j', (check, level, facts, message, help) => {
    expect(problemsOf(facts)).toEqual(
      [
        {
          check,
          level,
          message: expect.stringContaining(message) as string,
          help: expect.stringContaining(help) as string,
        },
      ].concat(check === 'runtime' && level === 'error' && message === 'no socket' ? [expect.anything() as never] : []),
    );
  });

  it('takes what the configuration tolerates as it is', () => {
    expect(problemsOf({ isSwapOn: true }, { failSwapOn: false })).toEqual([]);
    const cgroups = { ...fit.cgroups!, version: 1 } as const;
    expect(problemsOf({ cgroups }, { failCgroupV1: true })).toMatchObject([{ level: 'error' }]);
  });

  it('asks nothing of the machine for an agent on the embedded runtime', () => {
    const facts: Partial<MachineFacts> = {
      userId: 1000,
      cgroups: undefined,
      isSwapOn: true,
      missingPrograms: ['iptables'],
      clock: { earliestMs: 0, isSynchronized: undefined },
    };
    expect(problemsOf(facts, { isTrial: true })).toEqual([]);
  });

  it('does not take the ports of the running agent for those of another program', () => {
    const ports = [{ name: '--port', address: '0.0.0.0', port: 10250, problem: 'EADDRINUSE' }];
    expect(problemsOf({ isAgentRunning: true, ports }).map(({ check }) => check)).toEqual(['agent']);
  });
});
