import type { Pod } from '@rxlet/kube-api';
import { tables, type TypeName, type ValueTable } from '@rxlet/kube-api/tables';
import { describe, expect, it } from 'vitest';
import { decodeManifest } from '../decode-manifest.ts';
import { printPod, staticPodUid } from './static-pod-uid.ts';

/** Returns the print of a container with these resources. */
function resourcesOf(resources: object): string {
  const pod = { spec: { containers: [{ name: 'c', image: 'i', resources }] } } as Pod;
  return /Resources:\(core\.ResourceRequirements\)(\{.*\}) ResizePolicy/.exec(printPod(pod))![1]!;
}

const narrow = (value: number, scale: number, text: string, format: string): string =>
  `{i:(resource.int64Amount){value:(int64)${String(value)} scale:(resource.Scale)${String(scale)}} d:(resource.infDecAmount){Dec:(*inf.Dec)<nil>} s:(string)${text} Format:(resource.Format)${format}}`;

describe('the print of a pod', () => {
  it.each([
    ['100m', narrow(100, -3, '100m', 'DecimalSI')],
    ['0.1', narrow(1, -1, '', 'DecimalSI')],
    ['0', narrow(0, 0, '0', 'DecimalSI')],
    ['64Mi', narrow(67_108_864, 0, '', 'BinarySI')],
    ['3Ki', narrow(3072, 0, '3Ki', 'BinarySI')],
    ['1e3', narrow(1, 3, '1e3', 'DecimalExponent')],
    ['0.1000', narrow(100, -3, '', 'DecimalSI')],
    ['1u', narrow(1, -3, '', 'DecimalSI')],
    [
      '1.5Gi',
      '{i:(resource.int64Amount){value:(int64)0 scale:(resource.Scale)0} d:(resource.infDecAmount){Dec:(*inf.Dec){unscaled:(big.Int){neg:(bool)false abs:(big.nat)[1610612736000]} scale:(inf.Scale)3}} s:(string) Format:(resource.Format)BinarySI}',
    ],
  ])('has the quantity %s as Go holds it', (text, printed) => {
    expect(resourcesOf({ requests: { cpu: text } })).toBe(
      `{Limits:(core.ResourceList)<nil> Requests:(core.ResourceList)map[cpu:${printed}] Claims:([]core.ResourceClaim)<nil>}`,
    );
  });

  it('has the limits as requests, and empty lists other than absent ones', () => {
    const cpu = narrow(1, 0, '1', 'DecimalSI');
    expect(resourcesOf({ limits: { cpu: '1' }, claims: [] })).toBe(
      `{Limits:(core.ResourceList)map[cpu:${cpu}] Requests:(core.ResourceList)map[cpu:${cpu}] Claims:([]core.ResourceClaim)[]}`,
    );
  });

  it('moves fields to their place in the internal type', () => {
    const spec = { containers: [], hostNetwork: true, hostUsers: false, serviceAccount: 'old' };
    const print = printPod({ spec });
    expect(print).toContain('SecurityContext:(*core.PodSecurityContext){HostNetwork:(bool)true HostPID:(bool)false');
    expect(print).toContain('HostUsers:(*bool)false');
    expect(print).toContain('ServiceAccountName:(string)old');
  });

  it('has every field of the API', () => {
    const tracked: string[] = [];
    const valueOf = (table: ValueTable, path: string): unknown => {
      switch (table.type) {
        case 'object-ref':
          return objectOf(table.ref, path);
        case 'array':
          return [valueOf(table.items, path)];
        case 'map':
          return { key: valueOf(table.items, path) };
        case 'string':
          tracked.push(path);
          return table.format === 'byte' ? 'QQ==' : path;
        case 'int-or-string':
          tracked.push(path);
          return path;
        case 'quantity':
          return '7m';
        case 'date-time':
          return '2026-01-02T03:04:05Z';
        case 'boolean':
          return true;
        case 'integer':
        case 'number':
          return 7;
        case 'any':
          return {};
      }
    };
    const objectOf = (name: TypeName, path: string): object =>
      Object.fromEntries(
        Object.entries(tables[name].fields).map(([field, table]) => [field, valueOf(table, `${path}.${field}`)]),
      );
    const pod = objectOf('io.k8s.api.core.v1.Pod', '') as Pod;
    const print = printPod(pod);
    // These are not in the internal type, or take their value from another field.
    const moved = /^\.(apiVersion|kind|spec\.serviceAccount|status\.(podIPs\.ip|.*containerStatuses.*))$/i;
    expect(tracked.filter((path) => !moved.test(path) && !print.includes(path))).toEqual([]);
  });

  it('sorts keys by their bytes', () => {
    const print = printPod({ metadata: { labels: { b: '2', 'a/x': '1', B: '3', ä: '4' } } });
    expect(print).toContain('Labels:(map[string]string)map[B:3 a/x:1 b:2 ä:4]');
  });
});

describe('staticPodUid', () => {
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'c', image: 'i' }] } };

  it('depends on the content, the node and the file, and on the URL alone', () => {
    const uids = [
      staticPodUid(pod, 'n', { file: '/m/a' }),
      staticPodUid(pod, 'm', { file: '/m/a' }),
      staticPodUid(pod, 'n', { file: '/m/b' }),
      staticPodUid({ ...pod, metadata: { name: 'b' } }, 'n', { file: '/m/a' }),
      staticPodUid(pod, 'n', { url: '/m/a' }),
    ];
    expect(new Set(uids).size).toBe(5);
    expect(staticPodUid(pod, 'm', { url: '/m/a' })).toBe(uids[4]);
  });

  it('is the same for YAML and JSON, and ignores unknown fields', async () => {
    const uidOf = async (text: string): Promise<string | undefined> =>
      (await decodeManifest(text, { nodeName: 'n', origin: { file: '/m/a' } })).pod.metadata?.uid;
    const yaml =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: i, ports: null}], x: 1}';
    expect(await uidOf(yaml)).toBe(staticPodUid(pod, 'n', { file: '/m/a' }));
    expect(await uidOf(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', ...pod }))).toBe(await uidOf(yaml));
    expect(await uidOf(yaml.replace('ports: null', 'ports: []'))).not.toBe(await uidOf(yaml));
  });
});
