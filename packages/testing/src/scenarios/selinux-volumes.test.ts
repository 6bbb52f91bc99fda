import { afterEach, describe, expect, it } from 'vitest';
import {
  createCsiNode,
  CSI_DRIVER,
  csiDirectoryOf,
  csiDriverObject,
  csiPodWith,
  type CsiTestNode,
} from '../test-support/csi-node.ts';

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const LABEL = 'system_u:object_r:container_file_t:s0:c1,c2';
const claim = { persistentVolumeClaim: { claimName: 'disk' } };
const labelled = csiPodWith('db', claim, { securityContext: { seLinuxOptions: { level: 's0:c1,c2' } } });

function enableSeLinux({ node }: CsiTestNode): void {
  node.files.put('/proc/self/mountinfo', '30 24 0:26 / /sys/fs/selinux rw - selinuxfs selinuxfs rw\n');
  node.files.put('/proc/self/attr/current', 'system_u:system_r:kubelet_t:s0');
  node.files.put('/usr/share/containers/selinux/contexts', 'file = "system_u:object_r:container_file_t:s0"\n');
}

async function createDiskNode() {
  const made = await createCsiNode(cleanUps);
  made.api.drivers.set(CSI_DRIVER, csiDriverObject({ seLinuxMount: true }));
  made.api.volumes.set('pv-disk', { driver: CSI_DRIVER, volumeHandle: 'disk-1' });
  made.api.specs.set('pv-disk', { accessModes: ['ReadWriteOncePod'] });
  const { driver } = await made.startDriver({ capabilities: ['STAGE_UNSTAGE_VOLUME'] });
  const mountFlags = () =>
    driver.calls
      .filter(({ method }) => /^Node(Stage|Publish)Volume$/.test(method))
      .map(({ request }) => request as { volumeCapability: { accessType: { value: { mountFlags: string[] } } } })
      .map(({ volumeCapability }) => volumeCapability.accessType.value.mountFlags);
  const record = () => JSON.parse(made.node.files.text(`${csiDirectoryOf('db', 'pv-disk')}/vol_data.json`)!) as object;
  return { ...made, mountFlags, record };
}

describe('volumes of a single pod on a node with SELinux', () => {
  it('mount with the label of the pod when the driver can', async () => {
    const made = await createDiskNode();
    const { node, until, start, mountFlags, record } = made;
    enableSeLinux(made);
    await start();
    node.desire(labelled);
    await until(() => node.running().length === 1);
    expect(mountFlags()).toEqual([[`context="${LABEL}"`], [`context="${LABEL}"`]]);
    expect(record()).toMatchObject({ seLinuxMountContext: LABEL });
    expect(node.instances('db')[0]?.mounts.find(({ containerPath }) => containerPath === '/data')).toMatchObject({
      selinuxRelabel: false,
    });
  });

  it('mount without a label when the driver cannot', async () => {
    const made = await createDiskNode();
    const { node, api, until, start, mountFlags, record } = made;
    enableSeLinux(made);
    api.drivers.set(CSI_DRIVER, csiDriverObject({}));
    await start();
    node.desire(labelled);
    await until(() => node.running().length === 1);
    expect(mountFlags()).toEqual([[], []]);
    expect(record()).not.toHaveProperty('seLinuxMountContext');
  });

  it('cannot have several labels', async () => {
    const made = await createDiskNode();
    const { node, until, start, messages } = made;
    enableSeLinux(made);
    await start();
    const containers = ['s0:c1', 's0:c2'].map((level, index) => ({
      name: `app${String(index)}`,
      image: 'app:1',
      securityContext: { seLinuxOptions: { level } },
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
    }));
    node.desire(csiPodWith('db', claim, { containers }));
    await until(() => messages('FailedMount').some((message) => message.includes('multiple SELinux labels found: ')));
    expect(node.running()).toEqual([]);
  });
});

it('volumes have no label on a node without SELinux', async () => {
  const { node, until, start, mountFlags } = await createDiskNode();
  await start();
  node.desire(labelled);
  await until(() => node.running().length === 1);
  expect(mountFlags()).toEqual([[], []]);
});
