// The map between the lines of a kernel's file and those of what became of it.

/** A pair: a line of the listing, a line of the kernel's file, both from 0. */
export type LinePair = readonly [number, number];

/** A listing as the server answers it. */
export interface Listing {
  readonly title: string;
  readonly language: string;
  readonly text: string;
  readonly lines: readonly LinePair[];
  readonly why: string;
  readonly name?: string;
  readonly number?: number;
}

/** The lines of the listing that come from a line of the file; where none does, from the one above. */
export function linesOfListing(lines: readonly LinePair[], line: number): number[] {
  const above = Math.max(...lines.map(([, own]) => (own <= line ? own : -1)), -1);
  return lines.filter(([, own]) => own === above).map(([row]) => row);
}

/** The line of the file behind a line of the listing; for one of our own, that of the one above. */
export function lineOfFile(lines: readonly LinePair[], row: number): number | undefined {
  let found: LinePair | undefined;
  for (const pair of lines) {
    if (pair[0] <= row && (found === undefined || pair[0] >= found[0])) found = pair;
  }
  return found?.[1];
}

/** What a listing is of, as it travels in the address of its document. */
export interface Subject {
  readonly kind: "source" | "ir";
  readonly uri: string;
  readonly name: string;
  readonly number: number;
  readonly stage: string;
}

export function asQuery(subject: Subject): string {
  return JSON.stringify(subject);
}

export function fromQuery(query: string): Subject | undefined {
  try {
    const { kind, uri, name, number, stage } = JSON.parse(query) as Partial<Subject>;
    const known = kind === "source" || kind === "ir";
    if (!known || typeof uri !== "string" || typeof name !== "string") return undefined;
    return { kind, uri, name, number: Number(number ?? 0), stage: stage ?? "" };
  } catch {
    return undefined;
  }
}
