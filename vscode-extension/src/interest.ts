// When is a document worth a language server? Plain Python users must pay nothing.

/** The least that this module needs of an editor's document. */
export interface TextSource {
  readonly languageId: string;
  readonly scheme: string;
  readonly text: string;
}

const SCHEMES: ReadonlySet<string> = new Set(["file", "untitled"]);
const MENTION = /\btilelang\b/;

/** Whether the text names tilelang at all: one scan, no parse. */
export function mentionsTilelang(text: string): boolean {
  return MENTION.test(text);
}

/** Whether the server has anything to say about the document. */
export function isOfInterest(source: TextSource): boolean {
  return (
    source.languageId === "python" && SCHEMES.has(source.scheme) && mentionsTilelang(source.text)
  );
}
