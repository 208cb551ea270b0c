// The functions of fmt. Debian has no archive of them, and other machines lack the shared library.
// Header-only, fmt would be compiled in each source that formats a text.
#include <fmt/format-inl.h>

#include <locale>

FMT_BEGIN_NAMESPACE
#if FMT_VERSION >= 120000
template auto locale_ref::get<std::locale>() const -> std::locale;
#endif
namespace detail {

#if FMT_VERSION < 120000
template auto locale_ref::get<std::locale>() const -> std::locale;
#endif
template auto dragonbox::to_decimal(float value) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double value) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl(locale_ref place) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref place) -> char;
template void buffer<char>::append(const char* begin, const char* end);
#if FMT_VERSION < 100000
template void vformat_to(buffer<char>& out, string_view text, basic_format_args<buffer_context<char>> values,
                         locale_ref place);
#elif FMT_VERSION < 120000
template void vformat_to(buffer<char>& out, string_view text, vformat_args<>::type values, locale_ref place);
#endif

}  // namespace detail
FMT_END_NAMESPACE
