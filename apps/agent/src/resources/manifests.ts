import type { Manifest, ManifestList } from '@rxlet/pod-source/manifests';
import { AgentConnectionError } from '../commands/agent-connection.ts';
import type { Tone } from '../output/colors.ts';
import type { AgentObject, ResourceKind } from './resource-kind.ts';

/** A manifest as an object, so that selectors and templates work on it. */
export type ManifestObject = AgentObject & Manifest;

const TONES: Readonly<Record<Manifest['state'], Tone>> = { Accepted: 'good', Kept: 'bad', Refused: 'bad' };

/** The manifests of the agent's folder, with those that were refused. */
export const manifests: ResourceKind<ManifestObject> = {
  apiVersion: 'rxlet.dev/v1',
  kind: 'Manifest',
  names: ['manifests', 'manifest', 'mf'],
  isNamespaced: false,
  path: '/manifests',
  isWatchable: false,
  columns: [
    { title: 'FILE', cell: ({ metadata }) => metadata?.name ?? '' },
    { title: 'STATE', cell: ({ state }) => ({ text: state, tone: TONES[state] }) },
    { title: 'POD', cell: ({ pod }) => (pod === undefined ? '<none>' : `${pod.namespace}/${pod.name}`) },
    {
      title: 'OBJECTS',
      cell: ({ objects }) => objects.map(({ kind, name }) => `${kind.toLowerCase()}/${name}`).join(',') || '<none>',
    },
    {
      title: 'PROBLEM',
      cell: ({ path, problems }) => problems.map(({ message }) => withoutPath(message, path)).join('; '),
    },
    { title: 'PATH', isWide: true, cell: ({ path }) => path },
  ],
  objectsOf: (answer) =>
    (answer as ManifestList).items.map((manifest) => ({ metadata: { name: fileName(manifest.path) }, ...manifest })),
  fieldsOf: ({ metadata, state }) => ({ 'metadata.name': metadata?.name ?? '', state }),
  select(objects, name) {
    const found = objects.find(({ metadata, path }) => metadata?.name === name || path === name);
    if (found !== undefined) return found;
    const names = objects.map(({ metadata }) => metadata?.name ?? '').join(', ');
    throw new AgentConnectionError(`there is no manifest "${name}"${names === '' ? '' : `; there are: ${names}`}`);
  },
};

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function withoutPath(message: string, path: string): string {
  return message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message;
}
