import { mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StatusCode } from '@rxlet/cri-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf, createBench } from '../test-support.ts';

describe('CheckpointContainer', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fake-cri-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('writes an archive that describes the container, for its owner alone', async () => {
    const { fake, start } = await createBench();
    const containerId = await start('nginx');
    const location = join(folder, 'checkpoint.tar');
    await fake.runtime.checkpointContainer({ containerId, location });
    const archive = await readFile(location, 'latin1');
    expect(archive.slice(0, 11)).toBe('config.json');
    expect(archive.length % 512).toBe(0);
    const size = Number.parseInt(archive.slice(124, 135), 8);
    expect(JSON.parse(archive.slice(512, 512 + size))).toMatchObject({
      id: containerId,
      config: { command: ['nginx'] },
    });
    expect((await stat(location)).mode & 0o777).toBe(0o600);
  });

  it('rejects containers that do not run, relative paths and symbolic links', async () => {
    const { fake, start } = await createBench();
    const containerId = await start('nginx');
    const checkpoint = (location: string): Promise<number | undefined> =>
      codeOf(fake.runtime.checkpointContainer({ containerId, location }));
    await symlink(join(folder, 'elsewhere'), join(folder, 'link'));
    expect(await checkpoint(join(folder, 'link'))).toBe(StatusCode.Internal);
    await expect(stat(join(folder, 'elsewhere'))).rejects.toThrow('ENOENT');
    expect(await checkpoint('checkpoint.tar')).toBe(StatusCode.InvalidArgument);
    await fake.runtime.stopContainer({ containerId, timeout: 0n });
    expect(await checkpoint(join(folder, 'late'))).toBe(StatusCode.FailedPrecondition);
  });
});

describe('UpdatePodSandboxResources', () => {
  it('appears in the verbose status, and requires a ready sandbox', async () => {
    const { fake, runSandbox } = await createBench();
    const podSandboxId = await runSandbox();
    await fake.runtime.updatePodSandboxResources({ podSandboxId, resources: { cpuShares: 512n } });
    await fake.runtime.updatePodSandboxResources({ podSandboxId, overhead: { memoryLimitInBytes: 1024n } });
    const { info } = await fake.runtime.podSandboxStatus({ podSandboxId, verbose: true });
    expect(JSON.parse(info['info']!)).toMatchObject({
      config: { linux: { resources: { cpu_shares: '512' }, overhead: { memory_limit_in_bytes: '1024' } } },
    });
    await fake.runtime.stopPodSandbox({ podSandboxId });
    expect(await codeOf(fake.runtime.updatePodSandboxResources({ podSandboxId }))).toBe(StatusCode.FailedPrecondition);
  });
});
