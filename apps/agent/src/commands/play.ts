import { type Clock, sleep } from '@rxlet/component-base';
import type { Explanation } from '@rxlet/journal/model';
import type { Manifest, ManifestList } from '@rxlet/pod-source/manifests';
import type { Pod } from '@rxlet/kube-api';
import { printable } from '../output/printable.ts';
import { formatTable } from '../output/table.ts';
import { objectKey, type PlayedObject, type PlayFile } from '../play/parse-play-file.ts';
import { createPlayedFiles, type PlayedFiles } from '../play/played-files.ts';
import { podOutcome, type PodOutcome } from '../play/pod-outcome.ts';
import { nodes } from '../resources/nodes.ts';
import { pods as podKind } from '../resources/pods.ts';
import { type AgentConnection, AgentConnectionError } from './agent-connection.ts';
import type { CommandContext } from './command-context.ts';
import { objectsOf } from './get-resources.ts';
import type { Terminal } from './terminal.ts';

/** Options of {@link play} and {@link playDown}. */
export interface PlayOptions {
  readonly file: PlayFile;
  /** Replaces objects that are there and differ. */
  readonly replace: boolean;
  /** Longest wait for the pods. */
  readonly timeoutMs: number;
}

const POLL_MS = 250;

/**
 * Runs `rxlet play`: writes the objects of a file into the agent's folder of manifests, reports what the pods wait for until they are ready, and prints them.
 * @throws AgentConnectionError when the agent cannot take them, or a pod does not become ready
 */
export async function play(context: CommandContext, options: PlayOptions): Promise<void> {
  const { connection, terminal, clock } = context;
  const { file, replace } = options;
  for (const notice of file.notices) terminal.printError(notice);
  const list = await readManifests(connection, terminal.signal);
  const files = createPlayedFiles(list.path);
  const nodeName = await nodeNameOf(connection, terminal);
  await requireFree(file.objects, files, list, nodeName, replace);
  /** Versions that the agent read before, of the files that are written. */
  const stale = new Map<string, string | undefined>();
  // Objects first, so that no pod is refused for want of them.
  for (const object of file.objects.toSorted(podsLast)) {
    const before = await files.read(object);
    if (before === `${object.text}\n`) continue;
    await files.write(object);
    stale.set(files.pathOf(object), list.items.find(({ path }) => path === files.pathOf(object))?.version);
    terminal.printError(`${objectKey(object)} ${before === undefined ? 'created' : 'replaced'}`);
  }
  const played = file.objects.filter(({ kind }) => kind === 'Pod');
  const outcomes = await awaitOutcomes(context, { played, files, stale, nodeName, timeoutMs: options.timeoutMs });
  await printPods(connection, terminal, clock, played, nodeName);
  if (terminal.signal.aborted) return;
  const failures = [...outcomes].filter(([, { kind }]) => kind !== 'ready');
  if (failures.length > 0) throw new AgentConnectionError(failures.map(describeFailure).join('\n'));
}

/**
 * Runs `rxlet play --down`: removes the objects of a file from the agent's folder of manifests, and waits until its pods are gone.
 * @throws AgentConnectionError when they do not go in time
 */
export async function playDown(context: CommandContext, { file, timeoutMs }: PlayOptions): Promise<void> {
  const { connection, terminal, clock } = context;
  const { path } = await readManifests(connection, terminal.signal);
  const files = createPlayedFiles(path);
  const nodeName = await nodeNameOf(connection, terminal);
  const played = file.objects.filter(({ kind }) => kind === 'Pod');
  // Pods first, so that none starts a container without its objects.
  for (const object of file.objects.toSorted(podsLast).reverse())
    if (!(await files.remove(object))) terminal.printError(`${objectKey(object)} is not there`);
  const deadlineMs = clock.monotonicNow() + timeoutMs;
  for (;;) {
    const left = (await objectsOf(connection, podKind, terminal.signal)).filter((pod) =>
      played.some((object) => isPodOf(pod, object, nodeName)),
    );
    if (left.length === 0) break;
    if (clock.monotonicNow() >= deadlineMs) {
      const names = left.map(({ metadata }) => metadata?.name ?? '').join(', ');
      throw new AgentConnectionError(`timed out waiting for the end of ${names}: see rxlet explain`);
    }
    await sleep(clock, POLL_MS, terminal.signal);
  }
  for (const object of file.objects.toSorted(podsLast)) terminal.print(`${objectKey(object)} removed`);
}

async function readManifests(agent: AgentConnection, signal: AbortSignal): Promise<ManifestList> {
  let list: ManifestList;
  try {
    list = (await agent.getJson('/manifests', signal)) as ManifestList;
  } catch (error) {
    if (!(error instanceof AgentConnectionError) || error.status !== 404) throw error;
    throw new AgentConnectionError('the agent has no folder of manifests: start it with --pod-manifest-path FOLDER');
  }
  if (list.isSingleFile)
    throw new AgentConnectionError(`the agent reads the single file ${list.path}: start it with a folder of manifests`);
  return list;
}

async function nodeNameOf(agent: AgentConnection, { signal }: Terminal): Promise<string> {
  const [node] = await objectsOf(agent, nodes, signal);
  return node?.metadata?.name ?? '';
}

/** Rejects objects that other manifests have, and without `replace` those that were played before and differ. */
async function requireFree(
  objects: readonly PlayedObject[],
  files: PlayedFiles,
  { items, hasDocuments, path }: ManifestList,
  nodeName: string,
  replace: boolean,
): Promise<void> {
  const stray = objects.find(({ kind }) => kind !== 'Pod');
  if (!hasDocuments && stray !== undefined)
    throw new AgentConnectionError(
      `the agent takes no ${stray.kind}s of manifests: in a cluster they come from the API server, and --strict-static-pods rejects them`,
    );
  for (const object of objects) {
    const own = files.pathOf(object);
    const other = items.find((manifest) => manifest.path !== own && isManifestOf(manifest, object, nodeName));
    if (other !== undefined) throw new AgentConnectionError(`${objectKey(object)} is already in ${other.path}`);
    const before = await files.read(object);
    if (before !== undefined && before !== `${object.text}\n` && !replace)
      throw new AgentConnectionError(`${objectKey(object)} is already played, and differs: use --replace (${path})`);
  }
}

function isManifestOf({ pod, objects }: Manifest, object: PlayedObject, nodeName: string): boolean {
  if (object.kind === 'Pod') return pod?.namespace === object.namespace && pod.name === `${object.name}-${nodeName}`;
  return objects.some(
    ({ kind, namespace, name }) => kind === object.kind && namespace === object.namespace && name === object.name,
  );
}

function isPodOf({ metadata }: Pod, { namespace, name }: PlayedObject, nodeName: string): boolean {
  return metadata?.namespace === namespace && metadata.name === `${name}-${nodeName}`;
}

function podsLast(left: PlayedObject, right: PlayedObject): number {
  return Number(left.kind === 'Pod') - Number(right.kind === 'Pod');
}

/** Pods that are waited for. */
interface Played {
  readonly played: readonly PlayedObject[];
  readonly files: PlayedFiles;
  /** Versions of files that the agent had read before they were written. */
  readonly stale: ReadonlyMap<string, string | undefined>;
  readonly nodeName: string;
  readonly timeoutMs: number;
}

/** Waits until each pod is ready or will never be, and reports meanwhile what it waits for. */
async function awaitOutcomes(
  { connection, terminal, clock }: CommandContext,
  { played, files, stale, nodeName, timeoutMs }: Played,
): Promise<ReadonlyMap<PlayedObject, PodOutcome>> {
  const deadlineMs = clock.monotonicNow() + timeoutMs;
  const reported = new Map<PlayedObject, string>();
  for (;;) {
    const { items } = await readManifests(connection, terminal.signal);
    const all = await objectsOf(connection, podKind, terminal.signal);
    const outcomes = new Map(
      played.map((object) => {
        const manifest = items.find(({ path }) => path === files.pathOf(object));
        const pod = all.find((each) => isPodOf(each, object, nodeName));
        // A file that the agent has not read yet says nothing about the pod.
        const isUnread = manifest === undefined || stale.get(manifest.path) === manifest.version;
        return [object, isUnread ? { kind: 'pending' as const } : podOutcome(pod, manifest)];
      }),
    );
    const pending = [...outcomes].filter(([, { kind }]) => kind === 'pending').map(([object]) => object);
    for (const object of pending) await reportWait(connection, terminal, object, nodeName, reported);
    if (pending.length === 0 || terminal.signal.aborted || clock.monotonicNow() >= deadlineMs) return outcomes;
    await sleep(clock, POLL_MS, terminal.signal).catch(() => undefined);
  }
}

/** Prints what a pod waits for when that is something else than before; how far it is counts as the same. */
async function reportWait(
  agent: AgentConnection,
  terminal: Terminal,
  object: PlayedObject,
  nodeName: string,
  reported: Map<PlayedObject, string>,
): Promise<void> {
  const { namespace, name } = object;
  const path = `/explain/${encodeURIComponent(namespace)}/${encodeURIComponent(`${name}-${nodeName}`)}`;
  const explanation = (await agent.getJson(path, terminal.signal).catch(() => undefined)) as Explanation | undefined;
  if (explanation === undefined) return;
  const key = explanation.sentence.replace(/, for \S+$/, '').replace(/\d[\d.,]*/g, '#');
  if (reported.get(object) === key) return;
  reported.set(object, key);
  terminal.printError(printable(`pod ${namespace}/${name} ${explanation.sentence}`));
}

async function printPods(
  agent: AgentConnection,
  terminal: Terminal,
  clock: Pick<Clock, 'now'>,
  played: readonly PlayedObject[],
  nodeName: string,
): Promise<void> {
  if (terminal.signal.aborted) return;
  const all = await objectsOf(agent, podKind, terminal.signal);
  const shown = all.filter((pod) => played.some((object) => isPodOf(pod, object, nodeName)));
  if (shown.length === 0) return;
  const columns = podKind.columns.filter(({ title }) => title !== 'NODE');
  const rows = shown.map((pod) => columns.map((column) => column.cell(pod, clock.now())));
  const lines = formatTable(
    columns.map(({ title }) => title),
    rows,
    { colors: terminal.colors },
  );
  terminal.print(lines.join('\n'));
}

function describeFailure([object, outcome]: [PlayedObject, PodOutcome]): string {
  const subject = objectKey(object);
  if (outcome.kind === 'failed') return `${subject} does not run: ${outcome.message}`;
  return `timed out waiting for ${subject}: see rxlet explain -n ${object.namespace} ${object.name}`;
}
