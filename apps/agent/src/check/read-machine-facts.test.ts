import { ServiceError, StatusCode } from '@rxlet/cri-api';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { expect, it } from 'vitest';
import { type MachineFactsPorts, readMachineFacts } from './read-machine-facts.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

async function ports(
  files: Readonly<Record<string, string>>,
  more: Partial<MachineFactsPorts> = {},
): Promise<MachineFactsPorts> {
  const memory = createMemoryFiles();
  for (const [path, text] of Object.entries(files)) {
    await memory.nodeFiles.makeDirectory(path.slice(0, path.lastIndexOf('/')), 0o755);
    await memory.nodeFiles.writeFile(path, text, 0o644);
  }
  return {
    hostFiles: memory.hostFiles,
    now: () => NOW_MS,
    userId: () => 0,
    kernelRelease: () => '6.1.0',
    withRuntime: (use) =>
      use({
        version: async () => ({ runtimeName: 'containerd', runtimeVersion: '2.0.2' }) as never,
        status: async () =>
          ({
            status: { conditions: [{ type: 'NetworkReady', status: false, message: 'no CNI', reason: '' }] },
          }) as never,
      }),
    tryListen: (_address, port) => Promise.resolve(port === 10250 ? 'EADDRINUSE' : undefined),
    run: () => Promise.resolve('no\n'),
    fileSystem: () => Promise.resolve({ availableBytes: 1, capacityBytes: 2 }),
    hasProgram: (name) => Promise.resolve(name !== 'iptables'),
    isAgentRunning: () => Promise.resolve(false),
    programTimeMs: () => Promise.resolve(1),
    ...more,
  };
}

const places = {
  rootDirectory: '/root',
  ports: [
    { name: '--port', address: '0.0.0.0', port: 10250 },
    { name: '--healthz-port', address: '127.0.0.1', port: 10248 },
  ],
  certificates: [
    { path: '/pki/ca.crt', purpose: 'client CA', isOptional: false },
    { path: '/pki/empty.crt', purpose: 'client CA', isOptional: false },
    { path: '/pki/none.pem', purpose: 'client certificate', isOptional: true },
  ],
};

it('reads the facts of a machine with cgroup v2', async () => {
  const files = {
    '/proc/self/mounts': 'proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 ro,nosuid 0 0\n',
    '/sys/fs/cgroup/cgroup.controllers': 'cpu memory pids\n',
    '/proc/sys/net/ipv4/ip_forward': '0\n',
    '/proc/filesystems': 'nodev\toverlay\n',
    '/proc/swaps': 'Filename Type Size Used Priority\n/dev/sda2 partition 1 0 -2\n',
    '/etc/cni/net.d/10-pods.conflist': '{}',
    '/etc/cni/net.d/README': '',
    '/pki/empty.crt': 'not a certificate',
  };
  expect(await readMachineFacts(await ports(files), places)).toEqual({
    nowMs: NOW_MS,
    userId: 0,
    kernelRelease: '6.1.0',
    sysctls: { 'net.ipv4.ip_forward': '0', 'fs.inotify.max_user_watches': undefined },
    fileSystems: 'nodev\toverlay\n',
    cgroups: { version: 2, controllers: ['cpu', 'memory', 'pids'], isReadOnly: true },
    isSwapOn: true,
    runtime: {
      kind: 'available',
      name: 'containerd',
      version: '2.0.2',
      conditions: [{ type: 'NetworkReady', status: false, message: 'no CNI' }],
      cniConfigurations: ['10-pods.conflist'],
    },
    ports: [
      { ...places.ports[0], problem: 'EADDRINUSE' },
      { ...places.ports[1], problem: undefined },
    ],
    clock: { earliestMs: 1, isSynchronized: false },
    certificates: [
      { path: '/pki/ca.crt', purpose: 'client CA', validity: { problem: 'it cannot be read' } },
      { path: '/pki/empty.crt', purpose: 'client CA', validity: { problem: 'it has no certificate' } },
    ],
    disk: { path: '/root', availableBytes: 1, capacityBytes: 2 },
    isAgentRunning: false,
    missingPrograms: ['iptables'],
  });
});

it('leaves unknown what cannot be read', async () => {
  const failing = await ports(
    { '/proc/self/mounts': 'cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n' },
    {
      withRuntime: () => Promise.reject(new ServiceError(StatusCode.Unavailable, 'no socket')),
      run: () => Promise.resolve(undefined),
      fileSystem: () => Promise.reject(new Error('ENOENT')),
    },
  );
  const facts = await readMachineFacts(failing, { ...places, certificates: [] });
  expect(facts).toMatchObject({
    cgroups: { version: 1, controllers: ['memory'], isReadOnly: false },
    runtime: { kind: 'unavailable', message: 'no socket' },
    clock: { isSynchronized: undefined },
    disk: undefined,
  });
});
