import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, discardLogs } from '@rxlet/fake-cri';
import { createMemoryFiles, type MemoryFiles } from '@rxlet/node-files/testing';
import { testPod } from '@rxlet/pod-model/testing';
import { describe, expect, it } from 'vitest';
import { createManagerBench, type ManagerBench } from '../testing/manager-bench.ts';

const HOSTS = '/var/lib/kubelet/pods/uid-web/etc-hosts';

/** Creates a bench that records the paths of written files, and fails a write for each of `failures`. */
function bench(): { b: ManagerBench; files: MemoryFiles; writes: string[]; failures: Error[] } {
  const clock = createVirtualClock();
  const fake = createFakeRuntime({ clock, random: seededRandom(2), logs: discardLogs });
  const files = createMemoryFiles();
  const writes: string[] = [];
  const failures: Error[] = [];
  files.fault = (operation, path) => {
    if (operation !== 'writeFile') return;
    writes.push(path);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
  };
  const b = createManagerBench({ clock, runtime: fake.runtime, images: fake.images, files });
  return { b, files, writes, failures };
}

const terminationMessagePath = '/dev/termination-log';

describe('the files of a pod’s containers', () => {
  it('include /etc/hosts, written once per sync, and a message file for each container', async () => {
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
    expect(files.text(HOSTS)).toContain((await b.status(pod)).ips[0]);
    const messages = files.paths().filter((path) => path.includes('/containers/'));
    expect(messages.map((path) => path.split('/').at(-2))).toEqual(['a', 'b']);
  });

  it.each(['dev/log', '/dev/../dev//log/'])('appear at an absolute and normalized path, given %s', async (path) => {
    const { b } = bench();
    const pod = testPod({ containers: [{ terminationMessagePath: path }] });
    await b.sync(pod);
    const [status] = (await b.status(pod)).containers;
    expect(status?.mounts.map(({ containerPath }) => containerPath)).toEqual(['/etc/hosts', '/dev/log']);
  });

  it('get another try with the next container, and disappear with a container that was not created', async () => {
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
    expect(files.paths().filter((path) => path.includes('/containers/a/'))).toEqual([]);
  });

  it('start from the hosts file of the node for a pod on its network', async () => {
    const { b, files } = bench();
    const pod = testPod({ spec: { hostNetwork: true } });
    const { error } = await b.sync(pod);
    expect(error?.failures).toMatchObject([{ target: 'app', message: '/etc/hosts: no such file' }]);
    files.put('/etc/hosts', '192.0.2.7\tnode1\n');
    await b.settle(pod);
    expect(files.text(HOSTS)).toContain('192.0.2.7\tnode1\n');
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
    expect(files.text(HOSTS)).toContain(`${second}\t`);
    expect(files.text(HOSTS)).not.toContain(`${first}\t`);
  });
});
