import type { LogFields } from '@rxlet/component-base';

/** The fields of requests and answers that tell in a log line what a call changed. */
const FIELDS = ['podSandboxId', 'containerId', 'imageRef'] as const;

/** What a call changed, for its log line: the ids of what it concerns, and the image by its name. */
export function mutationFields(request: unknown, answer: unknown): LogFields {
  const fields: Record<string, unknown> = {};
  for (const source of [request, answer] as Readonly<Record<string, unknown>>[]) {
    for (const name of FIELDS) if (typeof source[name] === 'string') fields[name] = source[name];
  }
  const { image } = request as { image?: { image?: string } };
  if (image?.image !== undefined) fields['image'] = image.image;
  return fields;
}
