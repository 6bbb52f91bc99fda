import { readFile } from 'node:fs/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noopLogger, seededRandom, systemClock } from '@rxlet/component-base';
import { admin, createFakeKube } from '@rxlet/fake-kube';
import type { PodSpec } from '@rxlet/kube-api';
import { parseKubeconfig } from '@rxlet/kube-client';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseFlags } from './flags.ts';
import { readBehaviours } from './plan/behaviours.ts';
import { readTemplate } from './plan/node-template.ts';
import { indexesOf } from './plan/shard.ts';

interface StatefulSet {
  readonly kind: 'StatefulSet';
  readonly spec: {
    readonly replicas: number;
    readonly ordinals: { readonly start: number };
    readonly template: { readonly metadata: object; readonly spec: PodSpec };
  };
}
interface ConfigMap {
  readonly kind: 'ConfigMap';
  readonly data: Readonly<Record<string, string>>;
}

const text = await readFile(new URL('../../../deploy/fleet.yaml', import.meta.url), 'utf8');
const objects = parseAllDocuments(text).map((document) => document.toJS() as StatefulSet | ConfigMap);
const find = <T extends StatefulSet | ConfigMap>(kind: T['kind']): T =>
  objects.find((object) => object.kind === kind) as T;
const set = find<StatefulSet>('StatefulSet');
const config = find<ConfigMap>('ConfigMap');

describe('deploy/fleet.yaml', () => {
  it('starts shards that together have all nodes, each once', () => {
    const { replicas, ordinals, template } = set.spec;
    const [container] = template.spec.containers;
    const indexes = Array.from({ length: replicas }, (_, replica) => {
      const variables: Readonly<Record<string, string>> = {
        ...Object.fromEntries(container!.env!.map(({ name, value = '' }) => [name, value])),
        ...{ POD_INDEX: String(ordinals.start + replica), POD_IP: '10.0.0.1' },
      };
      const parsed = parseFlags(
        container!.args!.map((arg) => arg.replaceAll(/\$\((\w+)\)/g, (_all, name: string) => variables[name]!)),
      );
      if (parsed.kind !== 'flags') throw new Error(JSON.stringify(parsed));
      return indexesOf(parsed.flags.shard, parsed.flags.nodes);
    });
    expect(indexes.flat().toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, index) => index));
  });

  it('has files that the command accepts', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'rxlet-fleet-'));
    const write = async (name: string): Promise<string> => {
      await writeFile(join(folder, name), config.data[name]!);
      return join(folder, name);
    };
    expect((await readTemplate(await write('node.yaml'))).taints).toHaveLength(1);
    await readBehaviours(await write('behaviours.yaml'));
    expect(parseKubeconfig(config.data['kubeconfig']!, '/kubeconfig').tokenFile).toMatch(/\/token$/);
    await rm(folder, { recursive: true });
  });

  it('has a pod template without unknown fields', async () => {
    await using kube = createFakeKube({ clock: systemClock, random: seededRandom(1), logger: noopLogger });
    const pod = { apiVersion: 'v1', kind: 'Pod', ...set.spec.template };
    const { status, body } = await kube.handle({
      ...{ method: 'POST', path: '/api/v1/namespaces/default/pods?fieldValidation=Strict', user: admin },
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...pod, metadata: { ...pod.metadata, name: 'fleet-1' } }),
      signal: new AbortController().signal,
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    expect([status, status === 201 ? '' : Buffer.concat(chunks).toString()]).toEqual([201, '']);
  });
});
