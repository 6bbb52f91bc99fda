import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import type { FileSystem } from '../files/file-system.ts';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';
import { createMemoryFileSystem, type MemoryFileSystem } from '../testing/memory-file-system.ts';

const HOSTS = '/var/lib/kubelet/pods/uid-web/etc-hosts';

/** A bench whose files are there to be counted, and to fail. */
function bench(): { b: ManagerBench; files: MemoryFileSystem; writes: string[]; failures: Error[] } {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: discardLogs });
  const files = createMemoryFileSystem();
  const writes: string[] = [];
  const failures: Error[] = [];
  const counted: FileSystem = {
    ...files,
    async writeFile(path, content, mode) {
      writes.push(path);
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      await files.writeFile(path, content, mode);
    },
  };
  const b = createManagerBench({ clock, runtime: fake.runtime, images: fake.images, ports: { files: counted } });
  return { b, files, writes, failures };
}

const terminationMessagePath = '/dev/termination-log';

describe('the files of a pod’s containers', () => {
  it('are its hosts, written once in a sync, and a message file for each container', async () => {
    const { b, files, writes } = bench();
    const pod = testPod({
      containers: [
        { name: 'a', terminationMessagePath },
        { name: 'b', terminationMessagePath },
      ],
    });
    await b.sync(pod);
    expect(await b.containers(pod)).toEqual(['a/0 running', 'b/0 running']);
    expect(writes).toEqual([HOSTS]);
    expect(files.files.get(HOSTS)).toContain((await b.status(pod)).ips[0]);
    const messages = [...files.files.keys()].filter((path) => path.includes('/containers/'));
    expect(messages.map((path) => path.split('/').at(-2))).toEqual(['a', 'b']);
  });

  it('are tried again for the next container, and nothing stays of one that could not have them', async () => {
    const { b, files, failures } = bench();
    failures.push(new Error('ENOSPC: no space left on device'));
    const pod = testPod({
      containers: [
        { name: 'a', terminationMessagePath },
        { name: 'b', terminationMessagePath },
      ],
    });
    const { error } = await b.sync(pod);
    expect(error?.failures).toMatchObject([{ target: 'a', message: expect.stringContaining('ENOSPC') as string }]);
    expect(await b.containers(pod)).toEqual(['b/0 running']);
    expect([...files.files.keys()].filter((path) => path.includes('/containers/a/'))).toEqual([]);
  });

  it('follow the addresses of a new sandbox', async () => {
    const { b, files } = bench();
    const pod = testPod();
    await b.sync(pod);
    const [first = ''] = (await b.status(pod)).ips;
    await b.during(b.manager.killPod(pod, await b.status(pod)));
    await b.settle(pod);
    const [second = ''] = (await b.status(pod)).ips;
    expect(second).not.toBe(first);
    expect(files.files.get(HOSTS)).toContain(`${second}\t`);
    expect(files.files.get(HOSTS)).not.toContain(`${first}\t`);
  });
});
