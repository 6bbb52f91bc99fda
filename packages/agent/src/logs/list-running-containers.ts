import type { Pleg } from '@rxlet/pleg';
import type { RunningContainer } from '@rxlet/runtime-manager';

/** The containers that run, as far as the latest listing has told: so that nobody has to ask the runtime for each again and again. */
export function* listRunningContainers({ pods, cache }: Pick<Pleg, 'pods' | 'cache'>): Iterable<RunningContainer> {
  for (const { uid, containers } of pods()) {
    const known = new Map(cache.get(uid).containers.map(({ id, logPath }) => [id.id, logPath]));
    for (const { id, state } of containers) if (state === 'running') yield { id: id.id, logPath: known.get(id.id) };
  }
}
