/**
 * A custom node agent: its pods come from a queue in memory instead of a folder, a module of its own limits them, and their phases are printed. It runs on the
 * fake runtime; with `createCriClient` of @rxlet/cri-client in its place, on a real one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { activeDeadlines, containerGarbageCollection, createAgent } from '@rxlet/agent';
import { systemClock, systemRandom, uuid } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import { createFakeRuntime } from '@rxlet/fake-cri';
import { imageManagement } from '@rxlet/image-manager';
import type { Pod } from '@rxlet/kube-api';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { distinct, filter, firstValueFrom, map } from 'rxjs';
import { room } from './room-module.ts';

const scripts = ['echo first; sleep 0.2', 'echo second; sleep 0.2; exit 3', 'echo third'];

const toPod = (script: string, index: number): Pod =>
  defaultPod({
    metadata: { name: `job-${String(index)}`, namespace: 'default', uid: uuid(systemRandom) },
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'busybox:1.36', command: ['sh', '-c', script] }],
    },
  });

const folder = await mkdtemp(join(tmpdir(), 'custom-agent-'));
const node = { rootDirectory: folder, podLogsDirectory: join(folder, 'logs'), memoryCapacityBytes: BigInt(totalmem()) };
{
  await using fake = createFakeRuntime({ clock: systemClock, random: systemRandom });
  const jobs = createManualSource('queue');
  await using agent = await createAgent(
    { runtime: fake.runtime, images: fake.images, node },
    [podsFrom(jobs), imageManagement(), containerGarbageCollection(), activeDeadlines(), room(2)],
    { relistPeriodMs: 50 },
  );
  const phases$ = agent.pods.changes$.pipe(
    map(({ pod }) => `${pod.metadata?.name ?? ''} is ${pod.status?.reason ?? pod.status?.phase ?? 'new'}`),
    distinct(),
  );
  follow(phases$, { task: 'printing the phases', logger: console, next: (line) => console.log(line) });
  await agent.start();

  const pods = scripts.map(toPod);
  const ended = pods.map((_pod, index) =>
    firstValueFrom(
      phases$.pipe(filter((line) => new RegExp(`^job-${String(index)} is (Succeeded|Failed|OutOfpods)$`).test(line))),
    ),
  );
  // All at once: two fit, and the third is rejected.
  jobs.set(pods);
  await Promise.all(ended);
}
await rm(folder, { recursive: true });
