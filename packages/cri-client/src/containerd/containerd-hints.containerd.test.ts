import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom, systemClock } from '@rxlet/component-base';
import { type CriClient, createCriClient } from '../create-cri-client.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUSYBOX_REFERENCE, busyboxImage } from '@rxlet/test-containerd/build-image';
import {
  containerdUnavailable,
  type PrivateContainerd,
  startPrivateContainerd,
} from '@rxlet/test-containerd/private-containerd';
import { containerdHints } from './containerd-hints.ts';

const unavailable = containerdUnavailable();
if (unavailable !== undefined) console.warn(`skipped: ${unavailable}`);

describe.skipIf(unavailable !== undefined)('containerdHints on containerd', () => {
  let folder: string;
  let containerd: PrivateContainerd;
  let cri: CriClient;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'rxlet-events-'));
    containerd = await startPrivateContainerd({ directory: join(folder, 'ctd') });
    await containerd.importImage(busyboxImage(BUSYBOX_REFERENCE));
    cri = createCriClient({ clock: systemClock, random: seededRandom(1) }, { endpoint: containerd.endpoint });
  });
  afterAll(async () => {
    await cri[Symbol.asyncDispose]();
    await containerd.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('reports when a container starts and stops, but no execs in it', async () => {
    const { runtime } = cri;
    const done = new AbortController();
    const seen: string[] = [];
    let changed = Promise.withResolvers<void>();
    const socketPath = containerd.endpoint.replace('unix://', '');
    const following = (async () => {
      for await (const { containerId, kind } of containerdHints({ clock: systemClock }, { socketPath }).open(
        done.signal,
      )) {
        seen.push(`${kind} ${containerId}`);
        changed.resolve();
        changed = Promise.withResolvers();
      }
    })();
    const announced = async (what: string): Promise<void> => {
      while (!seen.includes(what)) await changed.promise;
    };

    const linux = { securityContext: { namespaceOptions: { network: 2 } } };
    const sandboxConfig = {
      metadata: { name: 'events', namespace: 'default', uid: 'uid', attempt: 0 },
      logDirectory: join(folder, 'logs'),
      linux,
    };
    const { podSandboxId } = await runtime.runPodSandbox({ config: sandboxConfig });
    await announced(`started ${podSandboxId}`);
    const { containerId } = await runtime.createContainer({
      podSandboxId,
      sandboxConfig,
      config: {
        metadata: { name: 'main', attempt: 0 },
        image: { image: BUSYBOX_REFERENCE },
        command: ['sleep', '1000'],
        logPath: 'main.log',
        linux,
      },
    });
    await runtime.startContainer({ containerId });
    await announced(`started ${containerId}`);
    await runtime.execSync({ containerId, cmd: ['true'], timeout: 10n });
    expect(seen).toEqual([`started ${podSandboxId}`, `started ${containerId}`]);
    await runtime.stopContainer({ containerId, timeout: 0n });
    await announced(`stopped ${containerId}`);
    await runtime.removePodSandbox({ podSandboxId });
    await announced(`stopped ${podSandboxId}`);
    done.abort();
    await following;
  });
});
