import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBench } from '../test-support.ts';
import { createContainerFiles } from './container-files.ts';
import { resolvePath } from './file-system.ts';
import { createHostFiles } from './host-files.ts';
import { createMemoryFiles, MEMORY_FILES_LIMITS } from './memory-files.ts';
import { createNodeHostFiles } from './node-host-files.ts';

describe('the files of a container', () => {
  it('begin with its hosts and hostname', () => {
    const files = createContainerFiles({ hostname: 'web', ip: '10.0.0.1', mounts: [] }, createHostFiles());
    expect(files.read('/etc/hostname')).toBe('web\n');
    expect(files.read('/etc/hosts')).toContain('10.0.0.1\tweb\n');
    expect(files.list('/etc')).toEqual(['hostname', 'hosts', 'resolv.conf']);
    expect(files.kind('/tmp')).toBe('directory');
  });

  it('respect a size limit', () => {
    const files = createMemoryFiles({}, []);
    expect(() => files.write('/a', 'x'.repeat(MEMORY_FILES_LIMITS.characters + 1), false)).toThrow('No space left');
    files.write('/a', 'x'.repeat(MEMORY_FILES_LIMITS.characters), false);
    expect(() => files.write('/b', 'x', false)).toThrow('No space left');
    files.remove('/a');
    files.write('/b', 'x', false);
    expect(files.read('/b')).toBe('x');
  });

  it('require paths without dots', () => {
    expect(resolvePath('/a', '../../b/./c//d')).toBe('/b/c/d');
    expect(resolvePath('/a', '/')).toBe('/');
  });
});

describe('mounted files', () => {
  let host: string;
  beforeEach(async () => {
    host = await mkdtemp(join(tmpdir(), 'fake-cri-'));
    await mkdir(join(host, 'volume/..data'), { recursive: true });
    await writeFile(join(host, 'volume/..data/key'), 'value\n');
    await symlink('..data/key', join(host, 'volume/key'));
    await writeFile(join(host, 'secret'), 'secret\n');
    await symlink('../secret', join(host, 'volume/leak'));
    await symlink('../new', join(host, 'volume/dangling'));
    await writeFile(join(host, 'log'), '');
  });
  afterEach(() => rm(host, { recursive: true }));

  const mounts = (): { containerPath: string; hostPath: string; readonly: boolean }[] => [
    { containerPath: '/etc/config', hostPath: join(host, 'volume'), readonly: true },
    { containerPath: '/data', hostPath: join(host, 'volume'), readonly: false },
    { containerPath: '/dev/termination-log', hostPath: join(host, 'log'), readonly: false },
  ];

  it('come from the host, bounded by the mount', () => {
    const files = createContainerFiles({ hostname: 'web', ip: undefined, mounts: mounts() }, createNodeHostFiles());
    expect(files.read('/etc/config/key')).toBe('value\n');
    expect(files.list('/etc')).toEqual(['config', 'hostname', 'hosts', 'resolv.conf']);
    expect(files.list('/')).toContain('data');
    expect(() => files.read('/etc/config/leak')).toThrow('No such file');
    expect(files.kind('/etc/config/leak')).toBeUndefined();
    expect(() => files.write('/data/leak', 'x', false)).toThrow();
    expect(() => files.write('/data/dangling', 'x', false)).toThrow();
    expect(() => files.write('/etc/config/key', 'x', false)).toThrow('Read-only file system');
    expect(() => files.remove('/data')).toThrow('busy');
    files.write('/data/key', 'x', true);
    expect(files.read('/etc/config/key')).toBe('value\nx');
    files.makeDirectory('/data/d');
    files.write('/data/d/f', '1', false);
    expect(files.list('/data/d')).toEqual(['f']);
    expect(() => files.remove('/data/d')).toThrow('not empty');
    expect(() => files.write('/data/d/f', 'x'.repeat(2 ** 21), false)).toThrow('No space left');
  });

  it('get the container’s writes, and exec has the same files', async () => {
    const { clock, fake, runSandbox, create } = await createBench({}, { hostFiles: createNodeHostFiles() });
    const command = ['sh', '-c', 'echo why > /dev/termination-log; cat /etc/config/key > /tmp/copy; sleep 60'];
    const containerId = await create(await runSandbox(), { command, mounts: mounts() });
    await fake.runtime.startContainer({ containerId });
    await clock.settle();
    expect(await readFile(join(host, 'log'), 'utf8')).toBe('why\n');
    const { stdout } = await fake.runtime.execSync({ containerId, cmd: ['cat', '/tmp/copy'] });
    expect(new TextDecoder().decode(stdout)).toBe('value\n');
  });
});
