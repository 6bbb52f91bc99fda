import {
  type FieldRequirement,
  parseFieldSelector as parseFields,
  parseLabelSelector as parseLabels,
  SelectorError,
} from '@rxlet/kube-api/selectors';
import { ApiError } from '../api-error.ts';

/** Parses the field selector of a request. @throws ApiError when it is malformed */
export function parseFieldSelector(selector: string): readonly FieldRequirement[] {
  return orBadRequest(() => parseFields(selector));
}

/** Parses the label selector of a request. @throws ApiError when it is malformed */
export function parseLabelSelector(selector: string): ReturnType<typeof parseLabels> {
  return orBadRequest(() => parseLabels(selector));
}

function orBadRequest<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) throw new ApiError('BadRequest', error.message);
    throw error;
  }
}
