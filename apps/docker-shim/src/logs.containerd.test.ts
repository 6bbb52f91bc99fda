import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { ContainerState, StatusCode } from '@rxlet/cri-api';
import { createCriClient, type CriClient } from '@rxlet/cri-client';
import { BUSYBOX_REFERENCE } from '@rxlet/test-containerd/build-image';
import { type RunningShim, startShim } from '@rxlet/test-containerd/docker-shim';
import { dockerdUnavailable, type PrivateDockerd, startPrivateDockerd } from '@rxlet/test-containerd/private-dockerd';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPod, type TestPod } from './test-support/test-pod.ts';

describe.skipIf(dockerdUnavailable() !== undefined)('logs of containers in Docker', () => {
  const folder = mkdtempSync(join(tmpdir(), 'shim-'));
  let dockerd: PrivateDockerd;
  let shim: RunningShim;
  let client: CriClient;
  const pods: TestPod[] = [];

  const run = async (name: string, logDirectory: string): Promise<TestPod> => {
    const pod = await runPod(client, { name, logDirectory, image: BUSYBOX_REFERENCE });
    pods.push(pod);
    return pod;
  };
  const ended = async (pod: TestPod, containerId: string) => {
    for (;;) {
      const status = await pod.status(containerId);
      if (status.state === ContainerState.CONTAINER_EXITED) return status;
    }
  };

  beforeAll(async () => {
    dockerd = await startPrivateDockerd(join(folder, 'd'));
    shim = await startShim(dockerd, join(folder, 'shim'));
    client = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint: shim.endpoint });
  });
  afterAll(async () => {
    for (const pod of pods) await pod[Symbol.asyncDispose]();
    await client?.[Symbol.asyncDispose]();
    await shim?.[Symbol.asyncDispose]();
    await dockerd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('exist once a container has started, and are complete once it has ended', async () => {
    const pod = await run('logs', join(folder, 'logs'));
    for (let round = 0; round < 20; round++) {
      const name = `c${String(round)}`;
      const containerId = await pod.start(name, 'i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); done; exit 3');
      const path = join(pod.logDirectory, `${name}.log`);
      expect(existsSync(path)).toBe(true);
      expect((await ended(pod, containerId)).exitCode).toBe(3);
      expect(readFileSync(path, 'utf8').trimEnd().split('\n').at(-1)).toMatch(/ stdout F line 99$/);
    }
  });

  it('hold up no container when they cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '');
    const pod = await run('unwritable', join(folder, 'file'));
    const containerId = await pod.start('main', 'echo hello; exit 4');
    expect((await ended(pod, containerId)).exitCode).toBe(4);
  });

  it('leave out volumes of images, with an answer of their own', async () => {
    const pod = await run('image', join(folder, 'logs'));
    const created = client.runtime.createContainer({
      podSandboxId: pod.id,
      sandboxConfig: { metadata: { name: 'image', namespace: 'test', uid: 'uid-image', attempt: 0 } },
      config: {
        metadata: { name: 'main', attempt: 0 },
        image: { image: BUSYBOX_REFERENCE },
        mounts: [{ containerPath: '/data', image: { image: BUSYBOX_REFERENCE } }],
      },
    });
    await expect(created).rejects.toMatchObject({ code: StatusCode.Unimplemented });
  });
});
