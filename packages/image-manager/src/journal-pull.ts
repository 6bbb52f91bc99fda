import type { ImagePull, ImagePulls } from '@rxlet/agent-api/images';
import type { Journal, JournalAttributes, Span, SpanOutcome } from '@rxlet/agent-api/journal';
import type { Logger } from '@rxlet/component-base';
import { follow } from '@rxlet/component-base/streams';
import { podUid } from '@rxlet/pod-model';
import type { ImageRequest } from './image-request.ts';

/** Ports of {@link journalPull}. */
export interface JournalPullPorts {
  readonly journal: Journal;
  readonly pulls: ImagePulls['pulls'];
  readonly logger: Logger;
}

/** Number of images ahead in the queue that an entry names. */
const MAX_NAMED = 3;

/** Reports the wait of a request in the queue, and then the pull with its progress, until the returned function is called with the outcome. */
export function journalPull(
  { journal, pulls, logger }: JournalPullPorts,
  request: ImageRequest,
  image: string,
): (outcome?: SpanOutcome) => void {
  if (!journal.isRecording) return () => undefined;
  const uid = podUid(request.pod);
  const isOwn = ({ requests }: ImagePull): boolean =>
    requests.some(({ podUid: of, fieldPath }) => of === uid && fieldPath === request.fieldPath);
  let phase: ImagePull['phase'] | undefined;
  let span: Span | undefined;
  const show = (own: ImagePull, all: readonly ImagePull[]): void => {
    const attributes = own.phase === 'queued' ? queueAttributes(own, all) : progressAttributes(own);
    if (own.phase === phase) return span?.update(attributes);
    phase = own.phase;
    span?.end();
    const kind = phase === 'queued' ? 'image.queue' : 'image.pull';
    // Most pulls leave the queue at once.
    const isQuiet = phase === 'queued';
    span = journal.begin(request.pod.metadata, {
      kind,
      ...(request.container && { container: request.container }),
      subject: image,
      isQuiet,
      attributes,
    });
  };
  const following = follow(pulls.value$, {
    task: 'recording an image pull',
    logger,
    next(all) {
      const own = all.find(isOwn);
      if (own !== undefined) show(own, all);
    },
  });
  return (outcome) => {
    following.unsubscribe();
    span?.end(outcome);
  };
}

function queueAttributes({ position }: ImagePull, all: readonly ImagePull[]): JournalAttributes {
  const ahead = all.filter((pull) => pull.phase === 'pulling' || pull.position < position).map((pull) => pull.image);
  const more = ahead.length > MAX_NAMED ? ` and ${String(ahead.length - MAX_NAMED)} more` : '';
  return { position, ahead: `${ahead.slice(0, MAX_NAMED).join(', ')}${more}` };
}

function progressAttributes({ progress }: ImagePull): JournalAttributes {
  if (progress === undefined) return {};
  const { step, currentBytes, totalBytes } = progress;
  return {
    step,
    ...(currentBytes !== undefined && { currentBytes }),
    ...(totalBytes !== undefined && { totalBytes }),
  };
}
