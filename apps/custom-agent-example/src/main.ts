/**
 * A node agent of one's own: its pods come from a queue in memory instead of a folder, and their phases are printed. It runs on the fake runtime;
 * with `createCriClient` of @rxlet/cri-client in its place, on a real one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createAgent } from '@rxlet/agent';
import { systemClock, systemRandom, uuid } from '@rxlet/component-base';
import { createFakeRuntime } from '@rxlet/fake-cri';
import type { Pod } from '@rxlet/kube-api';
import { createManualSource, defaultPod } from '@rxlet/pod-source';
import { distinct, filter, firstValueFrom, map } from 'rxjs';

const queue = ['echo first; sleep 0.2', 'echo second; sleep 0.2; exit 3'];

const toPod = (script: string, index: number): Pod =>
  defaultPod({
    metadata: { name: `job-${String(index)}`, namespace: 'default', uid: uuid(systemRandom) },
    spec: {
      restartPolicy: 'Never',
      containers: [{ name: 'main', image: 'busybox:1.36', command: ['sh', '-c', script] }],
    },
  });

const folder = await mkdtemp(join(tmpdir(), 'custom-agent-'));
{
  await using fake = createFakeRuntime({ clock: systemClock, random: systemRandom });
  const jobs = createManualSource('queue');
  await using agent = await createAgent(
    { runtime: fake.runtime, images: fake.images, sources: [jobs] },
    {
      node: { rootDirectory: folder, podLogsDirectory: join(folder, 'logs'), memoryCapacityBytes: BigInt(totalmem()) },
      relistPeriodMs: 50,
    },
  );
  const phases$ = agent.pods.changes$.pipe(
    map(({ pod }) => `${pod.metadata?.name ?? ''} is ${pod.status?.phase ?? 'new'}`),
    distinct(),
  );
  phases$.subscribe((line) => console.log(line));
  agent.start();

  for (const [index, script] of queue.entries()) {
    const ended = firstValueFrom(
      phases$.pipe(filter((line) => /^job-(\d+) is (Succeeded|Failed)$/.exec(line)?.[1] === String(index))),
    );
    jobs.set([toPod(script, index)]);
    await ended;
  }
}
await rm(folder, { recursive: true });
