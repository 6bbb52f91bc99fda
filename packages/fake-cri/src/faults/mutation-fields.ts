import type { LogFields } from '@rxlet/component-base';

/** Fields of requests and responses that identify the changed objects in a log line. */
const FIELDS = ['podSandboxId', 'containerId', 'imageRef'] as const;

/** Returns the fields of a call for its log line: the ids of its objects, and the image by its name. */
export function mutationFields(request: unknown, answer: unknown): LogFields {
  const fields: Record<string, unknown> = {};
  for (const source of [request, answer] as Readonly<Record<string, unknown>>[]) {
    for (const name of FIELDS) if (typeof source[name] === 'string') fields[name] = source[name];
  }
  const { image } = request as { image?: { image?: string } };
  if (image?.image !== undefined) fields['image'] = image.image;
  return fields;
}
