import { createEventLog, seededRandom } from '@rxlet/component-base';
import { createVirtualClock } from '@rxlet/component-base/testing';
import { createFakeRuntime, discardLogs, noHostFiles } from '@rxlet/fake-cri';
import { testPod } from '@rxlet/pod-model/testing';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createCredentialSource } from './credentials/credential-source.ts';
import { createImageManager } from './image-manager.ts';
import { createNodeRecordDirectories } from './records/node-record-directory.ts';
import { createPullRecords } from './records/pull-records.ts';

const image = 'registry.example:5000/team/app:1';

it('pulls with a pull secret, records it on disk, and asks the next pod for it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'image-manager-'));
  try {
    const clock = createVirtualClock();
    const fake = createFakeRuntime(
      { clock, random: seededRandom(1), logs: discardLogs, hostFiles: noHostFiles },
      { images: [{ tags: [image], credentials: [{ username: 'me', password: 'correct-horse' }] }] },
    );
    const auths = { 'registry.example:5000/team': { username: 'me', password: 'correct-horse' } };
    const secret = {
      metadata: { name: 'regcred', namespace: 'default', uid: 'uid-1' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from(JSON.stringify({ auths })).toString('base64') },
    };
    const events = createEventLog(clock);
    await using credentials = createCredentialSource({
      clock,
      events,
      secrets: { secret: async (_, name) => (name === 'regcred' ? secret : undefined) },
    });
    const records = createPullRecords({ directories: createNodeRecordDirectories(root), clock });
    await using manager = createImageManager({ images: fake.images, clock, events, credentials, records });
    const ensure = (name: string, imagePullSecrets: { name: string }[]) =>
      manager.ensureImageExists({
        pod: testPod({ name, spec: { imagePullSecrets } }),
        fieldPath: 'spec.containers{app}',
        image,
        pullPolicy: 'IfNotPresent',
      });

    const { imageRef } = await ensure('owner', [{ name: 'regcred' }]);
    const directory = join(root, 'image_manager/pulled');
    const [file = ''] = await readdir(directory);
    const text = await readFile(join(directory, file), 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      imageRef,
      credentialMapping: {
        'registry.example:5000/team/app': {
          kubernetesSecrets: [{ uid: 'uid-1', namespace: 'default', name: 'regcred' }],
        },
      },
    });
    expect(text).not.toContain('correct-horse');
    expect(await readdir(join(root, 'image_manager/pulling'))).toEqual([]);
    expect(await ensure('owner', [{ name: 'regcred' }])).toMatchObject({ imageRef });
    await expect(ensure('stranger', [])).rejects.toMatchObject({ reason: 'ErrImagePull' });
    expect(fake.calls.get('pullImage')).toBe(2);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
});

it('does not pull with a secret that cannot be read, and says so', async () => {
  const clock = createVirtualClock();
  const fake = createFakeRuntime(
    { clock, random: seededRandom(1), logs: discardLogs, hostFiles: noHostFiles },
    { images: [{ tags: [image] }] },
  );
  const secret = {
    metadata: { name: 'regcred', namespace: 'default' },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': Buffer.from('half a JSON').toString('base64') },
  };
  const events = createEventLog(clock);
  await using credentials = createCredentialSource({ clock, events, secrets: { secret: async () => secret } });
  await using manager = createImageManager({ images: fake.images, clock, events, credentials });
  const request = { fieldPath: '', image, pullPolicy: 'Always' };
  const pod = testPod({ spec: { imagePullSecrets: [{ name: 'regcred' }] } });
  await expect(manager.ensureImageExists({ ...request, pod })).rejects.toMatchObject({
    name: 'ImageError',
    reason: 'ErrImagePull',
    message: expect.stringMatching(/^image pull secret default\/regcred: /) as string,
  });
  expect(fake.calls.get('pullImage') ?? 0).toBe(0);

  await manager.ensureImageExists({ ...request, pod: testPod() });
  expect(events.list().map(({ reason, object }) => [reason, 'fieldPath' in object])).toEqual([
    ['Pulling', false],
    ['Pulled', false],
  ]);
});
