import { describe, expect, it } from 'vitest';
import { parsePlayFile, type PlayedObject } from './parse-play-file.ts';

const parse = (text: string) => parsePlayFile(text, 'default');
const titles = (objects: readonly PlayedObject[]): string[] =>
  objects.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`);

const deployment = (more = ''): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop, labels: { not: ofThePod } }
spec:
  ${more}
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: main, image: nginx }] }
`;

describe('parsePlayFile', () => {
  it('reads pods, ConfigMaps and Secrets, also of a List', async () => {
    const { objects, notices } = await parse(`
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
---
# nothing but a comment
---
apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: Secret, metadata: { name: s, namespace: shop } }
  - { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [] } }
`);
    expect(titles(objects)).toEqual(['ConfigMap default/settings', 'Secret shop/s', 'Pod default/web']);
    expect(JSON.parse(objects[2]!.text)).toMatchObject({ metadata: { name: 'web', namespace: 'default' } });
    expect(notices).toEqual([]);
  });

  it('reads scalars as the agent reads those of a manifest', async () => {
    const { objects } = await parse(`
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, annotations: { since: 2026-01-31, at: 22:22, mode: 0644, open: yes } }
---
{ apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ args: [-p, 22:22, 2026-01-31T08:00:00Z] }] } }
`);
    const [map, pod] = objects.map(({ text }) => JSON.parse(text) as unknown);
    expect(map).toMatchObject({
      metadata: { annotations: { since: '2026-01-31', at: '22:22', mode: 420, open: true } },
    });
    expect(pod).toMatchObject({ spec: { containers: [{ args: ['-p', '22:22', '2026-01-31T08:00:00Z'] }] } });
  });

  it('makes one pod of the template of a workload', async () => {
    const { objects, notices } = await parse(deployment('replicas: 3'));
    expect(JSON.parse(objects[0]!.text)).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { labels: { app: 'web' }, name: 'web', namespace: 'shop' },
      spec: { containers: [{ name: 'main', image: 'nginx' }] },
    });
    expect(notices).toEqual(['Deployment shop/web asks for 3 pods: one of its template runs']);
  });

  it('names what an agent cannot run', async () => {
    const { notices } = await parse(`${deployment()}---\napiVersion: v1\nkind: Service\nmetadata: { name: web }\n`);
    expect(notices).toEqual(['Service default/web is ignored: an agent runs pods only']);
  });

  it.each<[text: string, problem: string]>([
    ['', 'the file is empty'],
    ['apiVersion: v1\nkind: Service\nmetadata: {name: web}\n', 'the file has no pod'],
    ['kind: Pod\n', 'document 1 has no apiVersion and kind'],
    ['apiVersion: v1\nkind: Pod\nmetadata: {name: ../../etc/passwd}\n', 'needs a valid metadata.name'],
    ['apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: a_b}\n', 'invalid metadata.namespace'],
    ['apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {}\n', 'has no spec.template'],
    ['apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n', 'has no spec.template'],
    ['apiVersion: v1\nkind: List\nitems:\n-\n', 'document 1 has no apiVersion and kind'],
    [`${deployment()}---${deployment()}`, 'the file has pod shop/web twice'],
  ])('rejects %j', async (text, problem) => {
    await expect(parse(text)).rejects.toThrow(problem);
  });

  it('shows no line of a malformed file, which may have a password', async () => {
    const error: unknown = await parse('apiVersion: v1\nkind: Secret\nstringData: {password: "hunter2}\n').catch(
      (reason: unknown) => reason,
    );
    expect((error as Error).message).toMatch(/^document 1: /);
    expect((error as Error).message).not.toContain('hunter2');
  });
});
