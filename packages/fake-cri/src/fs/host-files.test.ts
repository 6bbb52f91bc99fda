import { mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noopLogger, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createMemoryFiles as createSharedFiles } from '@rxlet/node-files/testing';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeRuntime } from '../create-fake-runtime.ts';
import { createFileLogs } from '../logs/file-logs.ts';
import { createContainerFiles } from './container-files.ts';
import { filesOfTree } from './files-of-tree.ts';
import { createHostFiles, type HostFiles } from './host-files.ts';
import { createMemoryFiles } from './memory-files.ts';
import { createNodeHostFiles } from './node-host-files.ts';

/** Runs `script` in a container with `/mnt` mounted from `hostPath`. @returns its exit code. */
async function runWith(hostFiles: HostFiles | undefined, hostPath: string, script: string): Promise<number> {
  const clock = createVirtualClock();
  await using fake = createFakeRuntime({ clock, random: seededRandom(1), ...(hostFiles && { hostFiles }) });
  await fake.images.pullImage({ image: { image: 'busybox' } });
  const metadata = { name: 'web', namespace: 'default', uid: '1', attempt: 0 };
  const { podSandboxId } = await fake.runtime.runPodSandbox({
    config: { metadata, logDirectory: '/var/log/pods/web' },
  });
  const { containerId } = await fake.runtime.createContainer({
    podSandboxId,
    config: {
      metadata: { name: 'main', attempt: 0 },
      image: { image: 'busybox' },
      command: ['sh', '-c', script],
      mounts: [{ containerPath: '/mnt', hostPath }],
      logPath: 'main.log',
    },
  });
  await fake.runtime.startContainer({ containerId });
  await clock.advance(1000);
  return (await fake.runtime.containerStatus({ containerId })).status!.exitCode;
}

describe('host files', () => {
  it('appear to the agent in memory: it finds a termination message at its path', async () => {
    const shared = createSharedFiles({ files: { '/var/lib/kubelet/message': '' } });
    const hostFiles = createHostFiles(filesOfTree(shared));
    expect(await runWith(hostFiles, '/var/lib/kubelet/message', 'echo out of luck > /mnt; exit 3')).toBe(3);
    expect(new TextDecoder().decode((await shared.hostFiles.read('/var/lib/kubelet/message', 4096))?.bytes)).toBe(
      'out of luck\n',
    );
    shared.put('/etc/app/config', 'colour=green');
    expect(await runWith(hostFiles, '/etc/app', 'grep green /mnt/config && ls /mnt && mkdir /mnt/new')).toBe(0);
    expect(shared.info('/etc/app/new')?.kind).toBe('directory');
  });

  it('appear in all containers of a runtime, in memory by default', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'host-'));
    try {
      writeFileSync(join(folder, 'secret'), 'x');
      expect(await runWith(undefined, folder, 'cat /mnt/secret')).toBe(1);
      expect(await runWith(undefined, folder, 'echo y > /mnt/secret && cat /mnt/secret')).toBe(0);
      expect(readFileSync(join(folder, 'secret'), 'utf8')).toBe('x');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a read-only mount', () => {
  it('leaves what is mounted below it on the host writable, unless it is recursive', () => {
    const files = createMemoryFiles({ '/sub/mount/file': '' }, []);
    const host = { ...files, isOnSubmount: (path: string) => path.startsWith('/sub/mount/') };
    const touch = (path: string, recursiveReadOnly: boolean) => (): void => {
      const mount = { containerPath: '/mnt', hostPath: '/data', readonly: true, recursiveReadOnly };
      const source = { hostname: 'web', ip: undefined, mounts: [mount] };
      createContainerFiles(source, { open: () => host }).write(path, '', true);
    };
    expect(touch('/mnt/sub/mount/new', false)).not.toThrow();
    expect(touch('/mnt/sub/new', false)).toThrow('Read-only file system');
    expect(touch('/mnt/sub/mount/new', true)).toThrow('Read-only file system');
  });

  it('finds the file systems mounted on the host', () => {
    const root = createNodeHostFiles().open('/');
    expect(root.isOnSubmount?.('/proc/new')).toBe(true);
    expect(root.isOnSubmount?.('/new')).toBe(false);
    expect(root.isOnSubmount?.('/no/such/directory')).toBe(false);
  });
});

describe('the files of the kernel', () => {
  it('return content although their size is 0', () => {
    expect(createNodeHostFiles().open('/proc/self').read('/status')).toContain('Name:');
  });
});

describe('confined to a directory', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'host-'));
    mkdirSync(join(folder, 'inside'));
    mkdirSync(join(folder, 'outside'));
    writeFileSync(join(folder, 'outside/secret'), 'x');
    symlinkSync('../outside', join(folder, 'inside/link'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('mounts show no files outside, also not through links', async () => {
    const hostFiles = createNodeHostFiles(join(folder, 'inside'));
    for (const path of ['outside', 'inside/link', 'inside/../outside']) {
      expect(await runWith(hostFiles, `${folder}/${path}`, 'cat /mnt/secret')).toBe(1);
      expect(await runWith(hostFiles, `${folder}/${path}`, 'echo y > /mnt/secret')).toBe(1);
    }
    expect(await runWith(hostFiles, `${folder}/inside`, 'echo y > /mnt/file && cat /mnt/file')).toBe(0);
    expect(readFileSync(join(folder, 'outside/secret'), 'utf8')).toBe('x');
  });

  it('logs are not opened outside, also not through links', () => {
    const warn = vi.fn();
    const logs = createFileLogs({ ...noopLogger, warn }, join(folder, 'inside'));
    for (const path of ['outside/a.log', 'inside/link/a.log', 'inside/../outside/secret']) {
      expect(() => logs.open(`${folder}/${path}`)).toThrow(`is outside of the sandbox root ${folder}/inside`);
    }
    const both = createFileLogs(noopLogger, [join(folder, 'not-yet'), join(folder, 'inside')]);
    both.open(`${folder}/inside/a.log`);
    both.open(`${folder}/not-yet/a.log`);
    expect(() => both.open(`${folder}/outside/a.log`)).toThrow(
      `is outside of the sandbox root ${folder}/not-yet, ${folder}/inside (--sandbox-root of fake-runtime)`,
    );
    logs.open(`${folder}/inside/new/a.log`).append('line\n');
    expect(readFileSync(`${folder}/inside/new/a.log`, 'utf8')).toBe('line\n');
  });
});
