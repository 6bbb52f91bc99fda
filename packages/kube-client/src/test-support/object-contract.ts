import type { KubeObject, ObjectChange } from '@rxlet/kube-api/client';
import { resources } from '@rxlet/kube-api/resources';
import { describe, expect, it, vi } from 'vitest';
import { type ContractFixture, WAIT, refOf } from './contract-fixture.ts';

const { pods, configMaps } = resources;

/** Defines the tests of single objects. */
export function describeObjects(fixture: () => ContractFixture): void {
  describe('objects', () => {
    it('get metadata from the server and stay until they are deleted', async () => {
      const { admin, namespace, createMap } = fixture();
      const map = await createMap({ a: '1' });
      expect(map).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
      expect(map.metadata).toMatchObject({ name: expect.stringMatching(/^map-[a-z0-9]{5}$/) as string, namespace });
      expect(map.metadata?.uid).toMatch(/^[0-9a-f-]{36}$/);
      expect(await admin.get(configMaps, refOf(map))).toMatchObject({ metadata: { uid: map.metadata?.uid } });
      await expect(
        admin.create(configMaps, { metadata: { name: map.metadata!.name!, namespace } }),
      ).rejects.toMatchObject({
        reason: 'AlreadyExists',
        code: 409,
        message: `configmaps "${map.metadata!.name!}" already exists`,
      });
      await admin.delete(configMaps, refOf(map));
      await expect(admin.get(configMaps, refOf(map))).rejects.toMatchObject({
        reason: 'NotFound',
        code: 404,
        message: `configmaps "${map.metadata!.name!}" not found`,
      });
    });

    it('accept a replacement only of the version that the client has seen', async () => {
      const { admin, createMap } = fixture();
      const map = await createMap({ a: '1' });
      const updated = await admin.update(configMaps, { ...map, data: { a: '2' } });
      expect(updated.metadata?.resourceVersion).not.toBe(map.metadata?.resourceVersion);
      await expect(admin.update(configMaps, { ...map, data: { a: '3' } })).rejects.toMatchObject({
        reason: 'Conflict',
        code: 409,
      });
      // Without a version the last writer wins.
      const { resourceVersion: _, ...metadata } = map.metadata!;
      expect((await admin.update(configMaps, { ...map, metadata, data: { a: '4' } })).data).toEqual({ a: '4' });
    });

    it('keep their version when nothing changes', async () => {
      const { admin, createMap } = fixture();
      const map = await createMap({ a: '1' });
      const same = await admin.patch(configMaps, refOf(map), { type: 'merge', body: { data: { a: '1' } } });
      expect(same.metadata?.resourceVersion).toBe(map.metadata?.resourceVersion);
    });

    it('need a valid name', async () => {
      const { admin, namespace } = fixture();
      await expect(admin.create(configMaps, { metadata: { name: 'Not_Valid', namespace } })).rejects.toMatchObject({
        reason: 'Invalid',
        code: 422,
      });
      await expect(
        admin.create(configMaps, { metadata: { name: 'a', namespace: 'missing-namespace' } }),
      ).rejects.toMatchObject({ reason: 'NotFound' });
    });

    it('take patches of three types', async () => {
      const { admin, namespace, createPod } = fixture();
      const pod = await createPod({ tolerations: [{ key: 'x', operator: 'Exists' }] }, { labels: { a: '1', b: '2' } });
      const merged = await admin.patch(pods, refOf(pod), {
        type: 'merge',
        body: { metadata: { labels: { a: null, c: '3' } } },
      });
      expect(merged.metadata?.labels).toEqual({ b: '2', c: '3' });
      const strategic = await admin.patch(pods, refOf(pod), {
        type: 'strategic',
        body: { spec: { containers: [{ name: 'c', image: 'busybox:2' }] } },
      });
      expect(strategic.spec?.containers).toMatchObject([
        { name: 'c', image: 'busybox:2', terminationMessagePolicy: 'File' },
      ]);
      const json = [
        { op: 'test', path: '/metadata/labels/b', value: '2' },
        { op: 'replace', path: '/metadata/labels/b', value: '4' },
      ] as const;
      expect((await admin.patch(pods, refOf(pod), { type: 'json', body: json })).metadata?.labels).toMatchObject({
        b: '4',
      });
      await expect(admin.patch(pods, refOf(pod), { type: 'json', body: json })).rejects.toMatchObject({
        reason: 'Invalid',
        code: 422,
      });
      await expect(
        admin.patch(pods, { namespace, name: 'missing' }, { type: 'merge', body: {} }),
      ).rejects.toMatchObject({ code: 404 });
    });
  });
}

/** Defines the tests of lists. */
export function describeLists(fixture: () => ContractFixture): void {
  describe('lists', () => {
    it('select by labels and fields, page by page', async () => {
      const { admin, namespace, createMap } = fixture();
      const label = { list: 'yes' };
      const created = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => createMap({ key }, { ...label, key })));
      const all = await admin.list(configMaps, { namespace, labelSelector: 'list=yes', limit: 2 });
      expect(all.items.map(({ metadata }) => metadata?.name).sort()).toEqual(
        created.map(({ metadata }) => metadata?.name).sort(),
      );
      expect(all.items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
      const some = await admin.list(configMaps, { namespace, labelSelector: 'list=yes,key notin (a,b),key!=c' });
      expect(some.items.map(({ data }) => data?.['key']).sort()).toEqual(['d', 'e']);
      const one = await admin.list(configMaps, {
        namespace,
        fieldSelector: `metadata.name=${created[0]!.metadata!.name!}`,
      });
      expect(one.items).toHaveLength(1);
      await expect(admin.list(configMaps, { namespace, fieldSelector: 'data.key=a' })).rejects.toMatchObject({
        reason: 'BadRequest',
        code: 400,
      });
    });

    it('return no older version than the requested one, and fail for one that does not exist yet', async () => {
      const { admin, namespace, createMap } = fixture();
      const map = await createMap();
      const { resourceVersion } = await admin.list(configMaps, {
        namespace,
        resourceVersion: map.metadata!.resourceVersion,
      });
      expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(map.metadata!.resourceVersion));
    });

    it('can be deleted', async () => {
      const { admin, namespace, createMap } = fixture();
      await Promise.all([createMap({}, { temporary: 'yes' }), createMap({}, { temporary: 'yes' })]);
      await admin.deleteCollection(configMaps, { namespace, labelSelector: 'temporary=yes' });
      expect((await admin.list(configMaps, { namespace, labelSelector: 'temporary=yes' })).items).toEqual([]);
    });
  });
}

/** Defines the tests of watches. */
export function describeWatches(fixture: () => ContractFixture): void {
  describe('watches', () => {
    it('send objects as they enter, change and leave the selection', async () => {
      const { admin, namespace, createMap } = fixture();
      const first = await createMap({}, { watched: 'yes' });
      await using watch = admin.watch(configMaps, { namespace, labelSelector: 'watched=yes' });
      const seen: string[] = [];
      watch.changes$.subscribe((change) => seen.push(describeChange(change)));
      watch.start();
      await vi.waitFor(() => expect(watch.isSynced).toBe(true), WAIT);
      const second = await createMap({}, { watched: 'no' });
      await admin.patch(configMaps, refOf(second), {
        type: 'merge',
        body: { metadata: { labels: { watched: 'yes' } } },
      });
      await admin.patch(configMaps, refOf(second), { type: 'merge', body: { data: { a: '1' } } });
      await admin.patch(configMaps, refOf(first), {
        type: 'merge',
        body: { metadata: { labels: { watched: 'no' } } },
      });
      await admin.delete(configMaps, refOf(second));
      const [a, b] = [first.metadata!.name!, second.metadata!.name!];
      const expected = [`snapshot ${a}`, `added ${b}`, `modified ${b}`, `deleted ${a}`, `deleted ${b}`];
      await vi.waitFor(() => expect(seen).toEqual(expected), WAIT);
      expect(watch.list()).toEqual([]);
    });

    it('fail for fields that cannot be selected', async () => {
      const { admin, namespace } = fixture();
      await using watch = admin.watch(configMaps, { namespace, fieldSelector: 'data.a=1' });
      watch.start();
      await vi.waitFor(() => expect(watch.problem).toMatchObject({ reason: 'BadRequest' }), WAIT);
    });
  });
}

function describeChange(change: ObjectChange<KubeObject>): string {
  const found = change.type === 'snapshot' ? change.objects : [change.object];
  return `${change.type} ${found.map(({ metadata }) => metadata?.name).join()}`;
}
