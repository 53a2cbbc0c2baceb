/** The page that the server shows to people. */
export interface Page {
  /** The whole page. It loads nothing else, and then requests only the API. */
  readonly html: string;
  /** Its content security policy. */
  readonly policy: string;
}
