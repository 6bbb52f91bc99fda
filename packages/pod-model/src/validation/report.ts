import { listSome } from './list-some.ts';

/** Problem of one field. */
export interface FieldProblem {
  /** Path of the field, as in `spec.containers[0].ports[0].containerPort`. */
  readonly field: string;
  /** Without the path of the field. */
  readonly message: string;
}

/** Returns the problems as one line: `metadata.uid: is required; …`. */
export function describeFields(problems: readonly FieldProblem[]): string {
  return listSome(
    problems.map(({ field, message }) => `${field}: ${message}`),
    '; ',
  );
}

/** Collects problems. Field paths are the API server's, also where it omits an index. */
export interface Report {
  readonly problems: readonly FieldProblem[];
  add(field: string, message: string): void;
  required(field: string, message?: string): void;
  forbidden(field: string, message: string): void;
  duplicate(field: string, value: unknown): void;
  /** Reports a value that is none of the supported ones. */
  oneOf(field: string, value: string | undefined, supported: readonly string[]): void;
  /** Reports each of the messages of a check, see `names.ts`. */
  check(field: string, messages: readonly string[]): void;
}

/** Limit of recorded problems: a file of megabytes may be wrong everywhere. */
const MAX_PROBLEMS = 500;

/** Creates a {@link Report}. */
export function createReport(): Report {
  const problems: FieldProblem[] = [];
  const add = (field: string, message: string): void => {
    if (problems.length < MAX_PROBLEMS) problems.push({ field, message });
  };
  return {
    problems,
    add,
    required: (field, message = 'is required') => add(field, message),
    forbidden: add,
    duplicate: (field, value) => add(field, `${JSON.stringify(value)} is given twice`),
    oneOf(field, value, supported) {
      if (value === undefined) add(field, 'is required');
      else if (!supported.includes(value)) add(field, `${JSON.stringify(value)} is not one of ${supported.join(', ')}`);
    },
    check: (field, messages) => messages.forEach((message) => add(field, message)),
  };
}
