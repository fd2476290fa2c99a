internal import TenonText

/// What operations on texts and collections remember from one call to the next.
final class TextCaches {
  /// Where characters of strings stand that were asked for; good until the next collection.
  var stringPlaces = StringPlaces()
  /// The regular expressions used of late.
  var regexes = RegexCache()
  /// Comparisons and hashes of collections that may contain themselves.
  var comparisons = NestedComparisons()
}
