import { createAgent } from '@rxlet/agent';
import { seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime } from '@rxlet/fake-cri';
import { imageManagement } from '@rxlet/image-manager';
import { createMemoryFiles } from '@rxlet/node-files/testing';
import { createManualSource, podsFrom } from '@rxlet/pod-config';
import { defaultPod } from '@rxlet/pod-model/defaults';
import { standalone } from '../presets.ts';

/** Modules that listen on sockets of the machine, for which a virtual clock does not wait. */
const SOCKETS: readonly string[] = ['device-plugins', 'pod-resources'];

const clock = createVirtualClock();
const random = seededRandom(1);
const memory = createMemoryFiles();
await using fake = createFakeRuntime({ clock, random });
const source = createManualSource('test');
const readFsStats = () => Promise.resolve({ capacityBytes: 1e12, availableBytes: 9e11 });
const modules = standalone([imageManagement({ readFsStats })]).filter(({ name }) => !SOCKETS.includes(name));
const { runtime, images } = fake;
const node = { rootDirectory: '/root', podLogsDirectory: '/logs', memoryCapacityBytes: 8n << 30n };
await using agent = await createAgent(
  { runtime, images, clock, random, node, files: memory.nodeFiles, hostFiles: memory.hostFiles },
  [podsFrom(source), ...modules],
  { resolvConf: '' },
);
await agent.start();
const phase = () => agent.pods.list()[0]?.status?.phase;
const spec = { containers: [{ name: 'main', image: 'busybox:1.36' }] };
source.set([defaultPod({ metadata: { name: 'web', namespace: 'default', uid: '1' }, spec })]);
await clock.runUntil(() => phase() === 'Running');
process.stdout.write(`${modules.map(({ name }) => name).join(' ')}\n${phase() ?? ''}\n`);
source.set([]);
await clock.runUntil(() => agent.pods.list().length === 0);
